import { parseMoney } from '@chairside/core';
import type { Does } from '../plan/plan.ts';
import type { Run } from './run.ts';
import {
  type AppointmentFacts,
  appointmentId,
  businessOf,
  customerIdOf,
  firstFacts,
  putAppointment,
} from './shop.ts';
import { note } from './upkeep.ts';

type Change = Does<'raise' | 'setDue' | 'move' | 'setRole' | 'setAccount' | 'forgetCustomer'>;

/** Changes of the host's own records, and of customers at the processor. */
export async function change(run: Run, action: Change): Promise<void> {
  switch (action.does) {
    case 'raise': {
      const { dueMinor } = factsOf(run, action.appointment);
      return put(run, action, { dueMinor: dueMinor + raiseMinor });
    }
    case 'setDue':
      return put(run, action, { dueMinor: parseMoney(action.due).unwrapOr(0n) });
    case 'move':
      return put(run, action, { barber: action.barber, business: action.business });
    case 'setRole':
      if (action.has) run.roleless.delete(action.barber);
      else run.roleless.add(action.barber);
      return;
    case 'setAccount': {
      const { chairside, answer } = run.serve(action.id);
      const { business, account: id, currency } = action;
      const done = await answer(
        chairside.records.putBusiness(businessOf(business, { id, currency })),
      );
      if (done?.isErr()) note(run, done.error);
      return;
    }
    case 'forgetCustomer':
      run.world().processor.forgetCustomer?.(customerIdOf(action.customer));
  }
}

const raiseMinor = 1500n;

function factsOf(run: Run, appointment: number): AppointmentFacts {
  return run.appointments.get(appointment) ?? firstFacts(appointment);
}

/** The host writes its whole record, and learns the captured and reserved amounts. */
async function put(
  run: Run,
  { id, appointment }: { readonly id: number; readonly appointment: number },
  change: Partial<AppointmentFacts>,
): Promise<void> {
  const facts = { ...factsOf(run, appointment), ...change };
  run.appointments.set(appointment, facts);
  const from = run.scheduler.nextMoment();
  const { chairside, answer } = run.serve(id);
  const done = await answer(putAppointment(chairside.records, appointment, facts));
  if (done?.isErr()) note(run, done.error);
  if (!done?.isOk() || !isNothingReserved(done.value)) return;
  const to = run.scheduler.nextMoment();
  const { dueMinor } = facts;
  run.evidence.lowerings.push({ appointment: appointmentId(appointment), dueMinor, from, to });
}

function isNothingReserved(told: unknown): boolean {
  return typeof told === 'object' && told !== null && Reflect.get(told, 'reserved') === '0.00';
}
