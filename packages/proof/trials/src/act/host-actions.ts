import { type AuthContext, parseMoney } from '@chairside/core';
import { noteRemoval } from '../gate/watch-records.ts';
import type { BusinessName, Does, HostChange } from '../plan/plan.ts';
import type { Run } from './run.ts';
import {
  type AppointmentFacts,
  appointmentId,
  type BusinessFacts,
  businessOf,
  customerIdOf,
  erasureOf,
  firstBusinesses,
  firstFacts,
  putAppointment,
  setupNameOf,
} from './shop.ts';
import { note } from './upkeep.ts';

/** Changes of the host's own records, and of customers at the processor. */
export const change = (run: Run, action: HostChange) => rowOf(run, action.does, action);

async function rowOf<D extends HostChange['does']>(run: Run, does: D, action: Does<D>) {
  await changes[does](run, action);
}

const changes: {
  readonly [D in HostChange['does']]: (run: Run, action: Does<D>) => unknown;
} = {
  raise(run, action) {
    const { dueMinor } = factsOf(run, action.appointment);
    return put(run, action, { dueMinor: dueMinor + raiseMinor });
  },
  setDue: (run, action) => put(run, action, { dueMinor: parseMoney(action.due).unwrapOr(0n) }),
  remove,
  book(run, action) {
    const setup = run.setups.get(setupNameOf(action))?.id;
    return put(run, action, { customer: action.customer, ...(setup !== undefined && { setup }) });
  },
  miss: (run, action) => put(run, action, { missedFeeMinor: parseMoney(action.fee).unwrapOr(0n) }),
  rebook: (run, action) => put(run, action, { customer: action.customer, weeks: action.weeks }),
  merge,
  move: (run, action) => put(run, action, { barber: action.barber, business: action.business }),
  setRole: ({ roleless }, { barber, has }) =>
    has ? roleless.delete(barber) : roleless.add(barber),
  setAccount(run, action) {
    const { account, currency } = action;
    return putBusiness(run, action, { account, currency });
  },
  setFee: (run, action) => putBusiness(run, action, { basisPoints: action.basisPoints }),
  async erase(run, { id, customer }) {
    run.evidence.erasing.add(id);
    const { chairside, answer } = run.serve(id);
    const done = await answer(chairside.eraseCustomer(erasureOf(run.plan, customer)));
    if (done?.isErr()) note(run, done.error);
  },
  forgetCustomer: (run, { customer }) =>
    run.world().processor.forgetCustomer?.(customerIdOf(customer)),
};

const raiseMinor = 1500n;

async function merge(run: Run, { id, from, into }: Does<'merge'>): Promise<void> {
  const customers = { from: customerIdOf(from), into: customerIdOf(into) };
  const { chairside, answer } = run.serve(id);
  // It may be applied although no answer comes.
  run.evidence.merging.push(customers);
  const done = await answer(chairside.mergeCustomers(customers));
  if (done?.isOk()) run.evidence.merged.add(customers.from);
  if (done?.isErr()) note(run, done.error);
}

/** The host writes its whole record of a business. */
async function putBusiness(
  run: Run,
  { id, business }: { readonly id: number; readonly business: BusinessName },
  change: Partial<BusinessFacts>,
): Promise<void> {
  const facts = { ...(run.businesses.get(business) ?? firstBusinesses[business]), ...change };
  run.businesses.set(business, facts);
  const { chairside, answer } = run.serve(id);
  const done = await answer(chairside.records.putBusiness(businessOf(business, facts)));
  if (done?.isErr()) note(run, done.error);
}

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

/** A host that keeps its own appointments removes one, and asks what is reserved afterwards (D13). */
async function remove(run: Run, { id, appointment }: Does<'remove'>): Promise<void> {
  const name = appointmentId(appointment);
  if (!run.appointments.has(appointment))
    run.appointments.set(appointment, factsOf(run, appointment));
  const from = run.scheduler.nextMoment();
  noteRemoval(run.gate, name);
  const { chairside, answer } = run.serve(id);
  const told = await answer(chairside.getAppointmentLedger(administrator, { appointmentId: name }));
  if (told?.isErr()) note(run, told.error);
  if (!told?.isOk() || !isNothingReserved(told.value)) return;
  const to = run.scheduler.nextMoment();
  run.evidence.lowerings.push({ appointment: name, dueMinor: 0n, from, to });
}

const administrator: AuthContext = { subject: 'user-admin', systemAdministrator: true };

function isNothingReserved(told: unknown): boolean {
  return typeof told === 'object' && told !== null && Reflect.get(told, 'reserved') === '0.00';
}
