import type { Result } from '@chairside/core';
import type { BookEntry } from '@chairside/testkit';
import { minor } from '../check/readings.ts';
import { entryOf } from '../gate/gate.ts';
import type { Does, ReturnedChange } from '../plan/plan.ts';
import type { Run } from './run.ts';
import { nameOf } from './shop.ts';

/** A person acts at the processor directly. */
export async function changeAtProcessor(
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
