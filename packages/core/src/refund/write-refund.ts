import type { Written } from '../engine/carry.ts';
import { orUnknown } from '../engine/faults.ts';
import type { RefundEvent } from '../event/event.ts';
import { commit } from '../frame/commit.ts';
import { type Payment, reviewAfterMs, type Work } from '../payment/payment.ts';
import { openReview, refundReview, settledNote } from '../payment/reviews.ts';
import { tipMember } from '../payment/tip.ts';
import { actIn, type EventMaker, maxTries, touchPayment } from '../payment/write.ts';
import type { Ports } from '../ports/ports.ts';
import type { Change, CommitError, StoreUnavailable } from '../ports/store.ts';
import { shareEntries, toldShare } from '../share/entries.ts';
import { type Part, splitBoth, wholeFor } from '../share/share.ts';
import type { Review } from '../upkeep/review.ts';
import { formatMoney } from '../values/money.ts';
import { err, ok, type Result } from '../values/result.ts';
import type { EpochMs } from '../values/time.ts';
import type { Dispute, ProcessorDispute } from './dispute.ts';
import { disputeMovements, type Movement, refundMovements } from './movement.ts';
import {
  followRefund,
  type ProcessorRefund,
  type Refund,
  type RefundAtWork,
  type RefundState,
  type RefundStep,
} from './refund.ts';

const refundEventTypes = {
  pending: 'contactlessPayment.refundPending',
  succeeded: 'contactlessPayment.refunded',
  failed: 'contactlessPayment.refundFailed',
  canceled: 'contactlessPayment.refundCanceled',
} as const satisfies Readonly<Record<RefundState, RefundEvent['type']>>;

/** The line of the timeline for a refund that begins, at its `createdAt`. */
export const refunding = 'refunding';

/** The event for the new state of a refund. It holds no free text, which erasure would not find (D47). */
export function refundEvent(refund: Refund): EventMaker {
  const { id, amountMinor, tipMinor, currency, state, origin, reference, createdAt, parts } =
    refund;
  return (frame, about, timeline) => ({
    ...frame,
    type: refundEventTypes[state],
    data: {
      ...about,
      refundId: id,
      amount: formatMoney(amountMinor),
      ...tipMember(tipMinor),
      currency,
      state,
      origin,
      ...(parts !== undefined && { shares: parts.map(toldShare) }),
      ...(reference !== undefined && { processorReference: reference }),
      // One request at a time refunds a payment, so that the time tells the line.
      ...actIn(timeline, ({ what, at }) => what === refunding && at === createdAt),
    },
  });
}

export async function followingChanges(
  ports: Ports,
  before: Refund,
  { refund, review }: RefundStep,
  at: EpochMs,
): Promise<Result<readonly Change[], StoreUnavailable>> {
  const settled = await settledReview(ports, before, at);
  return settled.map((resolved) => [
    { kind: 'updateRefund', refund, expectedVersion: before.version },
    ...(review === undefined ? [] : openReview(refundReview(refund, review, at))),
    ...resolved,
  ]);
}

/** Writes the processor's state of a refund that this call holds, with the host's events. */
export async function recordRefund(
  ports: Ports,
  refund: RefundAtWork,
  seen: ProcessorRefund,
  cause: string,
): Written<Refund> {
  for (let tries = 1; ; tries += 1) {
    const at = ports.clock.now();
    const followed = followRefund(refund, seen, at) ?? { refund };
    const changes = await followingChanges(ports, refund, followed, at);
    if (changes.isErr()) return err(orUnknown<never>(changes.error));
    const written = await writeWithPayment(ports, refund.paymentId, changes.value, (payment) => ({
      changes: [
        ...touchPayment(payment, at, cause, [refundEvent(followed.refund)]).changes,
        ...refundMoves(payment, refund, followed.refund, seen),
      ],
    }));
    if (written.isOk()) return ok(followed.refund);
    // If another call has changed the refund itself, the caller starts again.
    if (!isStale(written.error, 'resolveReview') || tries === maxTries) return err(written.error);
  }
}

function isStale(error: CommitError, change: Change['kind']): boolean {
  return error.kind === 'storeConflict' && error.change === change;
}

/**
 * Writes changes of a refund together with its payment, based on the stored payment: again, if the
 * payment was changed meanwhile.
 */
export async function writeWithPayment(
  ports: Ports,
  paymentId: string,
  changes: readonly Change[],
  touch: (payment: Payment) => { readonly changes: readonly Change[] },
): Written<void> {
  for (let tries = 1; ; tries += 1) {
    const read = await ports.store.payments.get(paymentId);
    if (read.isErr()) return err(orUnknown<never>(read.error));
    const payment = read.value;
    if (payment === undefined) return err({ kind: 'storeConflict', change: 'updateRefund' });
    const written = await commit(ports, [...changes, ...touch(payment).changes]);
    if (written.isOk()) return ok();
    if (!isStale(written.error, 'updatePayment') || tries === maxTries) {
      return err(orUnknown(written.error));
    }
  }
}

/** Writes a change that moves no money, so the payment stays unchanged. */
export async function writeRefund<R extends Refund>(
  ports: Ports,
  { version }: Refund,
  after: R,
  alongside: readonly Change[] = [],
): Written<R> {
  const refund = { ...after, version: version + 1 };
  const written = await commit(ports, [
    { kind: 'updateRefund', refund, expectedVersion: version },
    ...alongside,
  ]);
  return written.map(() => refund).mapErr(orUnknown);
}

export function holdRefund(ports: Ports, refund: Refund, work: Work): Written<RefundAtWork> {
  return writeRefund(ports, refund, { ...refund, work, nextCheckAt: work.leaseUntil });
}

/** A refund that is unsettled for too long needs a person, once (D43). */
export async function unsettledReview(
  ports: Ports,
  refund: Refund,
  now: EpochMs,
): Promise<readonly Change[]> {
  const review = reviewOfUnsettled(refund);
  if (now < review.openedAt) return [];
  const known = await ports.store.reviews.get(review.id);
  // If it cannot be read, the next check opens the review.
  return known.isOk() && known.value === undefined ? openReview(review) : [];
}

/**
 * A refund whose end the processor does not list: a person's word says it, or the list lacks what a
 * person's word has recorded (D201). Without a reference it can still be matched by its mark (D44).
 */
export function endedUnseen(refund: Refund, state: 'succeeded' | 'failed', at: EpochMs): Refund {
  const { amountMinor, currency, isBooked } = refund;
  const named = { reference: refund.reference ?? '', amountMinor, currency, madeAt: at };
  const seen = { ...named, state, isBooked: isBooked || state === 'succeeded' };
  const { reference, ...after } = followRefund(refund, seen, at)?.refund ?? refund;
  return reference === undefined || reference === '' ? after : { ...after, reference };
}

/** Resolves the review of this refund, once it is settled. Other refunds keep theirs. */
async function settledReview(
  ports: Ports,
  refund: Refund,
  resolvedAt: EpochMs,
): Promise<Result<readonly Change[], StoreUnavailable>> {
  // Only a check in vain opens a review.
  if (refund.checks === 0) return ok([]);
  const { id } = reviewOfUnsettled(refund);
  const listed = await ports.store.reviews.get(id);
  return listed.map((review) =>
    review === undefined || review.resolvedAt !== undefined
      ? []
      : [{ kind: 'resolveReview', id, resolvedAt, note: settledNote }],
  );
}

/** The same for each check, so that a repeated finding makes one entry. */
export function reviewOfUnsettled(refund: Refund): Review {
  const openedAt = refund.createdAt + reviewAfterMs;
  return refundReview({ ...refund, version: 1 }, 'refundUnsettled', openedAt);
}

/** Records what a refund has moved, for the statement of its day, and whose money it was (D50, D208). */
export function refundMoves(
  payment: Payment,
  before: Refund | undefined,
  after: Refund,
  seen?: Partial<Pick<ProcessorRefund, 'madeAt' | 'returnedAt'>>,
): readonly Change[] {
  return moves(payment, refundMovements(payment, before, after, seen), after.parts);
}

/** Records what a dispute has moved, and whose money it was. */
export function disputeMoves(
  payment: Payment,
  before: Dispute | undefined,
  after: Dispute,
  seen: Pick<ProcessorDispute, 'bookings' | 'openedAt'>,
): readonly Change[] {
  return moves(payment, disputeMovements(payment, before, after, seen), after.parts);
}

function moves(
  payment: Payment,
  movements: readonly Movement[],
  parts: readonly Part[] | undefined,
): readonly Change[] {
  return movements.flatMap((movement) => {
    const moved: Change = { kind: 'insertMovement', movement };
    if (parts === undefined) return [moved];
    const { id: actId, kind, currency, amountMinor, tipMinor, at } = movement;
    const whole = { ...wholeFor(payment.appointment), amountMinor, tipMinor };
    const act = { actId, kind, currency, at };
    return [moved, ...shareEntries(payment, act, [whole], partsOf(parts, amountMinor, tipMinor))];
  });
}

/** The parts of an amount, which is negative where money leaves. Without a tip in it, all that each has counts. */
function partsOf(parts: readonly Part[], amountMinor: bigint, tipMinor: bigint): readonly Part[] {
  const sign = amountMinor < 0n ? -1n : 1n;
  const weights = tipMinor === 0n ? parts.map((part) => ({ ...part, tipMinor })) : parts;
  const whole = { amountMinor: sign * amountMinor, tipMinor: sign * tipMinor };
  return splitBoth(weights, whole).map((part) => ({
    ...part,
    amountMinor: sign * part.amountMinor,
    tipMinor: sign * part.tipMinor,
  }));
}
