import type { Action, Does } from '../plan/plan.ts';
import { changeAtProcessor } from './change-at-processor.ts';
import { change } from './host-actions.ts';
import { anotherInstallation, type Run } from './run.ts';
import { begin, insist, send } from './send.ts';
import { appointmentId, barberAuth, firstFacts, nameOf, setupNameOf } from './shop.ts';
import { deliver, notify, reconcile } from './upkeep.ts';

/** Carries out all actions of the plan, each at its time. */
export async function actAll(run: Run): Promise<void> {
  const begun = run.plan.actions.map((action) =>
    begin(run, action.does, async () => {
      await run.scheduler.after(action.at, () => undefined);
      await act(run, action);
    }),
  );
  await Promise.all(begun);
}

/** Carries an action out to its end. */
export async function act(run: Run, action: Action): Promise<void> {
  switch (action.does) {
    case 'present':
      return present(run, action);
    case 'enter':
      return enter(run, action);
    case 'raise':
    case 'setDue':
    case 'remove':
    case 'book':
    case 'miss':
    case 'rebook':
    case 'merge':
    case 'erase':
    case 'move':
    case 'setRole':
    case 'setAccount':
    case 'setFee':
    case 'forgetCustomer':
      return change(run, action);
    case 'intrude':
      return intrude(run, action);
    case 'notify':
      return notify(run, action.id, action.disorder);
    case 'deliver':
      await deliver(run, action.id, action.refuses);
      return;
    case 'reconcile':
      await reconcile(run, action.id);
      return;
    case 'changeAtProcessor':
      return changeAtProcessor(run, action);
    case 'loseAccount':
      run.evidence.lost.add(action.account);
      return;
    case 'read':
    case 'readRefunds':
      await send(run, action);
      return;
    default:
      return insist(run, action);
  }
}

/** The customer presents a card to the barber's phone. */
async function present(run: Run, { appointment, payment, card }: Does<'present'>): Promise<void> {
  const name = nameOf(appointment, payment);
  const opened = run.opened.get(name);
  if (opened === undefined) return;
  const presented = await run.world().processor.presentCard(opened.clientSecret, card);
  if (presented.isOk()) run.references.set(name, presented.value.externalPaymentReference.id);
}

/** The customer enters a card in the app, once it has a session. */
async function enter(run: Run, action: Does<'enter'>): Promise<void> {
  const opened = run.setups.get(setupNameOf(action));
  if (opened === undefined) return;
  const entered = await run.world().processor.completeSetup(opened.clientSecret, action.card);
  const trail = run.evidence.setups.get(opened.id);
  if (entered.isErr() || entered.value.status !== 'completed' || trail === undefined) return;
  trail.completed = run.scheduler.nextMoment();
  trail.completedAt = run.scheduler.clock.now();
}

/** Another installation's process is refused before it writes anything (D210). */
async function intrude(run: Run, { id, appointment }: Does<'intrude'>): Promise<void> {
  const { chairside, answer } = run.serve(id, false, anotherInstallation);
  const auth = barberAuth(firstFacts(appointment).barber, true, 0);
  const input = { appointmentId: appointmentId(appointment), idempotencyKey: `intruder-${id}` };
  const answered = await answer(chairside.createContactlessPayment(auth, input));
  if (!answered?.isOk()) return;
  const what = `another installation opened ${answered.value.id}`;
  run.evidence.faults.push({ rule: 'charged', what });
}
