import { actorOf, commit, isConflict } from '../frame/commit.ts';
import type { Ports } from '../ports/ports.ts';
import type { ProcessorError } from '../ports/processor.ts';
import type { CommitError, StoreUnavailable } from '../ports/store.ts';
import type { Fault } from '../problems/problem.ts';
import { err, ok, type Result, resultOf } from '../values/result.ts';
import type { EpochMs } from '../values/time.ts';
import {
  ask,
  carry,
  giveUp,
  handleOf,
  type LeftUnknown,
  lease,
  leftUnknown,
  needsNewKey,
  processorKey,
  readAtProcessor,
  renewed,
  takeOverFrom,
  timeOf,
  type Written,
} from './carry.ts';
import { didNotSay, orUnknown, type Running } from './faults.ts';
import { isPaid, readAppointment } from './find.ts';
import { dueAt, followBooks, isOverdue } from './follow.ts';
import {
  type CancelCause,
  draftWithoutWork,
  isFinal,
  isOpened,
  maxListedPayments,
  nextCheck,
  noted,
  type Payment,
  type PaymentAtWork,
  type ProcessorPayment,
  type Work,
} from './payment.ts';
import { owedMinor } from './tip.ts';
import { changesOf, holdPayment, letGo, writePayment, writeSeen } from './write.ts';

type Canceled<F extends Fault = never> = Written<Payment, F | Fault<'serviceUnavailable'>>;

/**
 * Cancels an opened payment. First a durable intent excludes capture, then the processor is
 * called, and `canceled` is written only after it confirms. Returns the payment: `captured` if the
 * processor captured it first; for the cause `expired`, `authorized` if a card came in time. Returns
 * 409 `running` if another call holds the payment.
 */
export async function cancel(
  ports: Ports,
  payment: Payment,
  cause: CancelCause,
): Canceled<Running> {
  if (isFinal(payment)) return ok(payment);
  const work = cancelWork(ports, payment, cause);
  return work.isOk() ? cancelAs(ports, payment, work.value) : err(work.error);
}

/** Cancels a payment that this call holds; the cancelation replaces its planned work. */
export function cancelHeld(ports: Ports, payment: PaymentAtWork, cause: CancelCause): Canceled {
  return cancelAs(ports, payment, toCanceling(renewed(ports, payment.work), cause));
}

/** Releases a partially authorized payment, which counts as failed. */
export async function releasePartial(
  ports: Ports,
  payment: Payment,
  seen: ProcessorPayment,
): Canceled<Running> {
  const failed = await writeSeen(ports, payment, seen, 'partiallyAuthorized');
  return failed.isOk() ? cancel(ports, failed.value, 'partiallyAuthorized') : err(failed.error);
}

function cancelWork(
  ports: Ports,
  { work, version }: Payment,
  cause: CancelCause,
): Result<Work, Running> {
  if (work === undefined) return ok(lease(ports, { kind: 'cancel', cause, fence: version + 1 }));
  // A dead holder may have sent a capture. The processor decides whether that or the cancelation
  // comes first, and the reservation stays until then (D13).
  return takeOverFrom(ports, work).map((taken) => toCanceling(taken, cause));
}

/**
 * A cancelation keeps its first cause, except `expired`. Only an expiry may keep the payment, so
 * any other cause replaces it.
 */
function toCanceling(taken: Work, cause: CancelCause): Work {
  if (taken.kind !== 'cancel') return { ...taken, kind: 'cancel', cause };
  return causeOf(taken) === 'expired' ? { ...taken, cause } : taken;
}

/** Makes the cancelation durable, then finishes it. */
async function cancelAs(ports: Ports, payment: Payment, work: Work): Canceled {
  const by = await actorOf(ports);
  if (by.isErr()) return err(by.error);
  // The cause that is kept: later responses tell it.
  const what = { what: 'canceling', cause: causeOf(work) };
  const isResumed = payment.work?.kind === 'cancel' && causeOf(payment.work) === what.cause;
  const begun = await writePayment(ports, payment, (stored) => {
    // Whoever finishes it, it stays the act of the person who began it (D211).
    const earlier = isResumed
      ? stored.timeline.findLast((one) => one.what === what.what)
      : undefined;
    const entry = { ...(earlier ?? by.value), ...what, at: ports.clock.now() };
    const timeline = noted(stored.timeline, entry);
    return { payment: { ...stored, work, nextCheckAt: work.leaseUntil, timeline }, passed: [] };
  });
  if (begun.isErr()) return err(begun.error);
  const ended = await finishCanceling(ports, { ...begun.value, work });
  return ended.mapErr(orUnknown);
}

async function finishCanceling(ports: Ports, payment: PaymentAtWork): Canceled {
  const known: CancelFacts = {};
  let at = ports.clock.now();
  let untimed: StoreUnavailable | undefined;
  return carry(ports, payment, known, {
    decide: (held, seen) =>
      untimed === undefined
        ? decideCanceling(held, seen, at)
        : { next: 'untimed' as const, error: untimed },
    steps: {
      readBefore: async (held) => {
        const before = await readAtProcessor(ports, held);
        // Uses a clock that all nodes share: a wrong node clock must not release a customer's money.
        const time = await timeOf(ports, before.isOk() ? before.value : undefined);
        if (time.isOk()) at = time.value;
        else untimed = time.error;
        return { before };
      },
      send: async (held) => ({ sent: await sendCancel(ports, held) }),
      readAfter: async (held) => ({ after: await readAtProcessor(ports, held) }),
    },
    hold: holdPayment,
    end: async (held, end) =>
      end.next === 'untimed' ? err(end.error) : endCanceling(ports, held, end, at),
  });
}

function sendCancel(ports: Ports, payment: PaymentAtWork) {
  return ask(ports, 'cancelPayment', () =>
    ports.processor.cancelPayment({
      ...handleOf(ports, payment),
      idempotencyKey: processorKey(payment, 'cancel'),
    }),
  );
}

async function endCanceling(
  ports: Ports,
  payment: PaymentAtWork,
  end: CancelEnd,
  at: EpochMs,
): Canceled {
  switch (end.next) {
    case 'record':
      return writeSeen(ports, payment, end.seen, causeOf(payment.work));
    case 'keep': {
      const now = ports.clock.now();
      const followed = followBooks(keptForRetry(payment, now), end.seen, now, 'expired');
      // By the shared clock, so that nodes with correct clocks are not late.
      const nextCheckAt = nextCheck(dueAt(payment, end.seen, at), at);
      const waiting = { ...followed, payment: { ...followed.payment, nextCheckAt } };
      const { after, changes } = changesOf(ports, payment, waiting);
      // At the version that was read: the processor's reply does not apply to a later version.
      const written = await commit(ports, changes);
      return written.map(() => after);
    }
    case 'unknown': {
      const written = await letGo(ports, payment, 'unknown', end.needsNewKey);
      return written.andThen(() => err(didNotSay('it canceled it')));
    }
  }
}

/** Turns the cancelation back into the requested capture. */
function keptForRetry(payment: PaymentAtWork, now: EpochMs): Payment {
  const draft = draftWithoutWork(payment);
  if (!payment.reserved) return draft;
  const { cause: _cause, ...free } = giveUp(payment.work, now);
  draft.work = { ...free, kind: 'capture' };
  return draft;
}

/**
 * Cancels the appointment's open payments once no amount remains due (D13). It may fail:
 * `reconcile` cancels the rest.
 */
export async function releaseOthers(ports: Ports, appointmentId: string): Promise<void> {
  const { ledgers, payments } = ports.store;
  const ledger = await ledgers.get(appointmentId);
  if (ledger.isErr() || ledger.value.openPayments === 0) return;
  const appointment = (await readAppointment(ports, appointmentId)).unwrapOr(undefined);
  if (appointment === undefined) return;
  const paid = await resultOf(isPaid(ports, appointment, ledger.value));
  if (!paid.unwrapOr(false)) return;
  const listed = await payments.listByAppointment(appointmentId, maxListedPayments);
  for (const payment of listed.unwrapOr([])) {
    if (!isOpened(payment)) continue;
    // A fee for a missed visit is not part of the amount due (D49).
    if (payment.charge?.purpose === 'noShow') continue;
    // Nor is a tip alone (D48).
    if (owedMinor(payment) === 0n) continue;
    const released = await releasePaid(ports, payment);
    // A held one is left to its holder. If the processor or the store fails, the rest waits.
    if (released.isErr() && !isWorkedOn(released.error)) return;
  }
}

async function releasePaid(ports: Ports, payment: Payment): Canceled<Running> {
  const released = await cancel(ports, payment, 'appointmentPaid');
  if (released.isOk() || !isConflict(released.error)) return released;
  // Since the list was read, a card was presented, say.
  const stored = await ports.store.payments.get(payment.id);
  const present = stored.unwrapOr(undefined);
  return present === undefined ? released : cancel(ports, present, 'appointmentPaid');
}

function isWorkedOn(error: Fault | CommitError): boolean {
  return isConflict(error) || ('type' in error && error.type === 'conflict');
}

type ReadResult = Result<ProcessorPayment | undefined, ProcessorError>;

/** The facts known while a payment is being canceled at the processor. */
interface CancelFacts {
  /** The processor's entry before the request, once read. */
  readonly before?: ReadResult | undefined;
  /** The reply to the cancel request, once sent. */
  readonly sent?: ReadResult | undefined;
  /** The processor's entry after a failed request, once read. */
  readonly after?: ReadResult | undefined;
}

type CancelEnd =
  /** The processor shows it captured or canceled: record that. */
  | { readonly next: 'record'; readonly seen: ProcessorPayment }
  /**
   * Its deadline has not passed: a card was presented late (D17), or the node's clock was ahead.
   */
  | { readonly next: 'keep'; readonly seen: ProcessorPayment }
  | LeftUnknown;

type CancelNext = CancelEnd | { readonly next: 'readBefore' | 'send' | 'readAfter' };

/**
 * Decides the next step for a payment whose cancelation is durable.
 * @param at the time by which its age is measured.
 */
export function decideCanceling(
  payment: PaymentAtWork,
  { before, sent, after }: CancelFacts,
  at: EpochMs,
): CancelNext {
  if (before === undefined) return { next: 'readBefore' };
  if (before.isErr()) return leftUnknown();
  const seen = before.value;
  if (hasEnded(seen)) return { next: 'record', seen };
  if (seen !== undefined && mayBeKept(payment, seen, at)) return { next: 'keep', seen };
  if (sent === undefined) return { next: 'send' };
  if (sent.isOk()) {
    // A payment that the processor does not show may still have been captured (D13).
    if (sent.value === undefined && payment.reserved) return { next: 'unknown', needsNewKey: true };
    const seen = sent.value ?? absent(payment);
    // A cancelation that was only accepted may still fail, or lose against a capture.
    return hasEnded(seen) ? { next: 'record', seen } : leftUnknown();
  }
  if (after === undefined) return { next: 'readAfter' };
  if (after.isErr()) return leftUnknown();
  return hasEnded(after.value)
    ? { next: 'record', seen: after.value }
    : leftUnknown(needsNewKey(sent.error));
}

/** Whether the processor shows it captured or canceled. */
export function hasEnded(
  seen: ProcessorPayment | undefined,
): seen is ProcessorPayment & { readonly status: 'captured' | 'canceled' } {
  return seen?.status === 'captured' || seen?.status === 'canceled';
}

/**
 * An expiry keeps a payment whose deadline has not passed, even if another call saw its
 * authorization first.
 */
function mayBeKept(payment: PaymentAtWork, seen: ProcessorPayment, at: EpochMs): boolean {
  return causeOf(payment.work) === 'expired' && !isOverdue(payment, seen, at);
}

/**
 * A payment that the processor does not know can no longer be captured, so it counts as canceled.
 */
function absent({ account, currency, amountMinor }: Payment): ProcessorPayment {
  return { status: 'canceled', account, currency, amountMinor, clientSecret: '' };
}

export function causeOf({ cause = 'requested' }: Work): CancelCause {
  return cause;
}
