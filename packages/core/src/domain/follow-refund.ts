import { keyRetentionMs } from './payment.ts';
import type { ProcessorRefund, Refund, RefundState } from './refund.ts';
import type { ReviewReason } from './review.ts';
import { type EpochMs, hourMs } from './time.ts';

/** A pending refund is compared with the processor's list this often. */
const refundCheckEveryMs = hourMs;

/** The result of one observation of a refund. */
export interface FollowedRefund {
  readonly refund: Refund;
  /** Absent if the state is unchanged. */
  readonly passed?: RefundState;
  /** Why a person should look at it, if this observation is the first to show it. */
  readonly review?: ReviewReason;
}

/**
 * Moves a refund to the processor's state. The processor wins: a refund that had failed here and
 * took place there is corrected, and so is another amount. `undefined`: it is unchanged.
 */
export function followRefund(
  refund: Refund,
  seen: ProcessorRefund,
  at: EpochMs,
): FollowedRefund | undefined {
  // A reply from before its success is outdated.
  const state =
    refund.state === 'succeeded' && seen.state === 'pending' ? refund.state : seen.state;
  const isFirst = refund.acceptedAt === undefined;
  const isMoved = state !== refund.state;
  const isOtherAmount = seen.amountMinor !== refund.amountMinor;
  if (!isFirst && !isMoved && !isOtherAmount) return undefined;
  const { work: _work, nextCheckAt: _nextCheckAt, ...rest } = refund;
  const accepted = { acceptedAs: state, acceptedAt: at };
  const moved: Refund = {
    ...rest,
    ...(isFirst && accepted),
    state,
    amountMinor: seen.amountMinor,
    reference: seen.reference,
    ...(seen.failure !== undefined && { failure: seen.failure }),
    version: refund.version + 1,
    updatedAt: at,
    checks: 0,
  };
  const nextCheckAt = nextRefundCheck(refund, moved, at);
  const review = reviewOf(refund, state, isOtherAmount);
  return {
    refund: nextCheckAt === undefined ? moved : { ...moved, nextCheckAt },
    ...((isMoved || isFirst) && { passed: state }),
    ...(review !== undefined && { review }),
  };
}

/** A pending one is checked again; the keys of a refund made here are deleted in time (D21). */
function nextRefundCheck(before: Refund, after: Refund, at: EpochMs): EpochMs | undefined {
  if (after.state === 'pending') return at + refundCheckEveryMs;
  return before.nextCheckAt === undefined ? undefined : keysEndAt(after);
}

/**
 * The end of the retention of a refund's keys. It counts from the last change and not from the
 * acceptance: after a pending of days, a key already forgotten would make a second refund (D44).
 */
export function keysEndAt({ updatedAt }: Refund): EpochMs {
  return updatedAt + keyRetentionMs;
}

function reviewOf(
  before: Refund,
  state: RefundState,
  isOtherAmount: boolean,
): ReviewReason | undefined {
  const wasOver = before.state === 'failed' || before.state === 'canceled';
  if (wasOver && (state === 'pending' || state === 'succeeded')) return 'refundedAfterFailure';
  return isOtherAmount ? 'refundedAnotherAmount' : undefined;
}

/** A refund that was made at the processor, as a new record. */
export function foundRefund(
  id: string,
  { paymentId, account }: Pick<Refund, 'paymentId' | 'account'>,
  seen: ProcessorRefund,
  at: EpochMs,
): Refund {
  const { reference, state, amountMinor, currency, failure } = seen;
  return {
    id,
    paymentId,
    account,
    currency,
    amountMinor,
    origin: 'elsewhere',
    returnsFee: false,
    reversesTransfer: false,
    state,
    version: 1,
    reference,
    ...(failure !== undefined && { failure }),
    createdAt: at,
    updatedAt: at,
    acceptedAs: state,
    acceptedAt: at,
    ...(state === 'pending' && { nextCheckAt: at + refundCheckEveryMs }),
    checks: 0,
  };
}
