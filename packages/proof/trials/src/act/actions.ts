import type { Result } from '@chairside/core';
import type { BookEntry } from '@chairside/testkit';
import { minor } from '../check/readings.ts';
import { entryOf } from '../gate/gate.ts';
import type { Action, Does, ReturnedChange } from '../plan/plan.ts';
import { change } from './host-actions.ts';
import { isAsking } from './requests.ts';
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
      return isAsking(action) ? insist(run, action) : change(run, action);
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

/** A person acts at the processor directly. */
async function changeAtProcessor(
  run: Run,
  { id, ...action }: Does<'changeAtProcessor'>,
): Promise<void> {
  const { appointment, payment, how } = action;
  const opened = run.opened.get(nameOf(appointment, payment));
  const { processor } = run.world();
  const entry = opened && (await entryOf(run, opened.id));
  if (entry === undefined) return;
  const amountMinor = minor(entry.amount);
  const handle = { ...entry, reference: entry.id, begunAt: entry.createdAt };
  const currency = run.evidence.begun.get(entry.paymentId)?.currency ?? 'eur';
  const request = { ...handle, amountMinor, currency, idempotencyKey: `someone-${id}` };
  switch (how) {
    case 'alterAmount':
    case 'alterCurrency':
    case 'alterAccount':
    case 'alterDeadline':
      run.evidence.changedAtProcessor.add(entry.paymentId);
      run.evidence.altered.set(entry.paymentId, {
        how,
        at: run.scheduler.clock.now(),
        seenBy: new Set(),
      });
      return;
    case 'capture':
    case 'captureHalf':
    case 'cancel': {
      run.evidence.changedAtProcessor.add(entry.paymentId);
      const half = { ...request, amountMinor: amountMinor / 2n };
      const done = await (how === 'cancel'
        ? processor.cancelPayment(request)
        : processor.capturePayment(how === 'capture' ? request : half));
      if (done.isErr()) run.evidence.texts.add(JSON.stringify(done.error));
      return;
    }
    default: {
      const done = await moveReturned(run, entry, how);
      if (done?.isErr()) run.evidence.texts.add(JSON.stringify(done.error));
    }
  }
}

const partMinor = 500n;

/** An operator, the card's bank and the cardholder. */
async function moveReturned(
  run: Run,
  entry: BookEntry,
  how: ReturnedChange,
): Promise<Result<unknown, unknown> | undefined> {
  const { processor } = run.world();
  const { id, amount, refunds = [], disputes = [] } = entry;
  const wholeMinor = minor(amount);
  const dispute = disputes.findLast(({ state }) => state === 'open');
  const closed = disputes.findLast(({ state }) => state !== 'open');
  switch (how) {
    case 'refund':
    case 'dispute':
      return processor[how](id, wholeMinor);
    case 'refundPart':
      return processor.refund(id, partMinor);
    case 'inquire':
      return processor.inquire?.(id, wholeMinor);
    case 'disputeUnheard':
    case 'inquireUnheard':
    case 'refundUnheard': {
      const act = () => {
        if (how === 'refundUnheard') return processor.refund(id, partMinor);
        const isInquiry = how === 'inquireUnheard';
        return isInquiry ? processor.inquire?.(id, wholeMinor) : processor.dispute(id, wholeMinor);
      };
      // Without lists, a dispute whose message is lost cannot be found.
      if (how !== 'refundUnheard' && run.plan.hidesDisputes) return act();
      await collect(run);
      const done = await act();
      await collect(run, id);
      return done;
    }
    case 'withholdDispute':
      return dispute && processor.withholdDispute?.(id, dispute.id);
    case 'reopenDispute':
      return closed && processor.reopenDispute?.(id, closed.id);
    case 'refundFails': {
      const last = refunds.findLast(({ state }) => state === 'pending' || state === 'succeeded');
      return last && processor.endRefund?.(id, last.id, 'failed');
    }
    case 'winDispute':
      return dispute && processor.closeDispute?.(id, dispute.id, 'won');
    case 'loseDispute':
      return dispute && processor.closeDispute?.(id, dispute.id, 'lost');
  }
}

/** Takes the waiting messages of the processor; those of refunds and disputes of one payment are lost. */
async function collect({ world, mail, scheduler }: Run, lost?: string): Promise<void> {
  const { processor } = world();
  for (const raw of (await processor.takeEvents()).unwrapOr([])) {
    const parsed = await processor.parseEvent(raw, scheduler.clock.now());
    const event = parsed.unwrapOr(undefined);
    const isReturned = event?.kind === 'refund' || event?.kind === 'dispute';
    const isLost = isReturned && event.reference === lost;
    if (!isLost) mail.push(raw.payload);
  }
}
