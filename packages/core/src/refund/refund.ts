import { keyRetentionMs } from '../frame/record.ts';
import type { Work } from '../payment/payment.ts';
import type { Part } from '../share/share.ts';
import type { ReviewReason } from '../upkeep/review.ts';
import { orNothing } from '../values/bounds.ts';
import { Money, sumIn } from '../values/money.ts';
import { type EpochMs, hourMs } from '../values/time.ts';

export const refundStates = ['pending', 'succeeded', 'failed', 'canceled'] as const;
/** The state of a refund. `pending` counts as given back until the processor says otherwise. */
export type RefundState = (typeof refundStates)[number];

/** The maximum of refunds of one payment that are made here. */
export const maxRefunds = 100;
/** The maximum of refunds of one payment that are read. With so many it takes no further refund. */
export const maxListedRefunds = 1000;

/** A refund of a captured payment, in full or in part. */
export interface Refund {
  readonly id: string;
  readonly paymentId: string;
  readonly account: string;
  readonly currency: string;
  readonly amountMinor: bigint;
  /** The part of the amount that is tip. Frozen in the claim; absent without one. */
  readonly tipMinor?: bigint;
  /** Whose money goes back, of a payment that was shared. Frozen in the claim. */
  readonly parts?: readonly Part[];
  /** `elsewhere`: made at the processor, in its dashboard for example. */
  readonly origin: 'here' | 'elsewhere';
  /** Its record was lost with the database, and so was its key: the processor showed it. */
  readonly isRestored?: true;
  /** The caller's own words. */
  readonly reason?: string;
  /** Whether the platform's fee goes back in proportion. Frozen in the claim. */
  readonly returnsFee: boolean;
  /** Whether the transfer to the business is reversed, if the platform was charged. Frozen too. */
  readonly reversesTransfer: boolean;
  readonly state: RefundState;
  /** The processor has taken its amount from the balance, even if it came back since. */
  readonly isBooked: boolean;
  /** The processor has shown that it reversed the transfer to the business, and does not undo that. */
  readonly isTransferReversed?: boolean;
  /** Rises by one with every change. Writes name the version that they are based on. */
  readonly version: number;
  /** The processor's id of the refund, once it has accepted the refund. */
  readonly reference?: string;
  /** Why it failed, in the processor's words. */
  readonly failure?: string;
  /** Why it is still pending, in the processor's words. */
  readonly pendingReason?: string;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
  /** The refunds that were reserved together, itself included: the parts of an appointment's excess. */
  readonly siblings?: readonly string[];
  /** The state in which the processor first accepted it: the response to its key. */
  readonly acceptedAs?: RefundState;
  readonly acceptedAt?: EpochMs;
  readonly work?: Work;
  /** The time of `reconcile`'s next check; absent if no work is left. */
  readonly nextCheckAt?: EpochMs;
  /** The number of `reconcile`'s checks in vain. The wait doubles with each. */
  readonly checks: number;
}

/** A refund with unfinished work, whose holder may be dead. */
export type RefundAtWork = Refund & { readonly work: Work };

/** A refund as the processor shows it. */
export interface ProcessorRefund {
  /** The processor's id of the refund. */
  readonly reference: string;
  /** Our id, from the mark that the refund was made with; absent for one made elsewhere. */
  readonly refundId?: string;
  readonly state: RefundState;
  readonly amountMinor: bigint;
  readonly currency: string;
  /** Why it failed, in the processor's words. */
  readonly failure?: string;
  /** Why it is still pending, in the processor's words, such as `insufficient_funds`. */
  readonly pendingReason?: string;
  /** When the processor booked it, or made it if it is not booked yet: the refund stands on that day. */
  readonly madeAt: EpochMs;
  /** When its amount came back, because it failed after it was booked. */
  readonly returnedAt?: EpochMs;
  /**
   * Whether the processor has taken its amount from the balance, even if it came back since. A refund may
   * be pending for days before that, and never come to it. Default: true.
   */
  readonly isBooked?: boolean;
  /**
   * Whether the transfer to the business was reversed for it, where the platform was charged. It stays
   * reversed if the refund fails, and the amount is then in the platform's balance. Default: false.
   */
  readonly isTransferReversed?: boolean;
}

/** In the timeline of a payment: the processor rejected a refund for good. */
export const refundRejected = 'refund rejected';

/** Whether its amount counts as given back: it was refunded, is pending, or may be either. */
export function isCounted({ state }: Pick<Refund, 'state'>): boolean {
  return state === 'pending' || state === 'succeeded';
}

/**
 * The sum in this currency that these refunds give back, or may give back; `undefined` if one of them is in
 * another currency.
 */
export function refundedMinor(
  refunds: readonly Pick<Refund, 'state' | 'amountMinor' | 'currency'>[],
  currency: string,
): bigint | undefined {
  const counted = refunds.filter(isCounted);
  return sumIn(
    currency,
    counted.map((refund) => new Money(refund.amountMinor, refund.currency)),
  );
}

/** Whether the processor accepted it. Its key keeps that response, even if the refund fails later. */
export function wasAcknowledged({ acceptedAs }: Pick<Refund, 'acceptedAs'>): boolean {
  return acceptedAs === 'pending' || acceptedAs === 'succeeded';
}

/** A pending refund is first compared with the processor's list after this long, then with growing waits. */
const firstRefundCheckMs = hourMs;

/** The result of one observation of a refund. */
export interface RefundStep {
  readonly refund: Refund;
  /** Absent if the state is unchanged. */
  readonly passed?: RefundState;
  /** Why a person should look at it, if this observation is the first to show it. */
  readonly reviews: readonly ReviewReason[];
}

/** Moves a refund that is recorded to the processor's state. `undefined`: it is unchanged. */
export function followRefund(
  refund: Refund,
  seen: ProcessorRefund,
  at: EpochMs,
): RefundStep | undefined {
  const step = moveRefund(refund, seen, at);
  const members = ['amountMinor', 'isBooked', 'isTransferReversed', 'pendingReason'] as const;
  // One that a person's word ended may have no reference yet (D201).
  const isSame =
    step.passed === undefined &&
    refund.reference !== undefined &&
    members.every((name) => step.refund[name] === refund[name]);
  return isSame ? undefined : step;
}

/**
 * Moves a refund to the processor's state. The processor wins: a refund that had failed here and
 * took place there is corrected, and so is another amount.
 */
export function moveRefund(refund: Refund, seen: ProcessorRefund, at: EpochMs): RefundStep {
  // A reply from before its success is outdated.
  const state =
    refund.state === 'succeeded' && seen.state === 'pending' ? refund.state : seen.state;
  const isFirst = refund.acceptedAt === undefined;
  const isMoved = state !== refund.state;
  const isBooked = refund.isBooked || (seen.isBooked ?? true);
  const { isTransferReversed = refund.isTransferReversed } = seen;
  const pendingReason = state === 'pending' ? seen.pendingReason : undefined;
  const { work: _work, nextCheckAt: _nextCheckAt, failure: failedBefore, ...before } = refund;
  const { pendingReason: _pendingReason, ...rest } = before;
  // A refund that took place after all has no failure.
  const failure = seen.failure ?? (isMoved ? undefined : failedBefore);
  // One that took place after all is the response to its key from now on.
  const isMade = !wasAcknowledged(refund) && isCounted({ state });
  const moved: Refund = {
    ...rest,
    ...((isFirst || isMade) && { acceptedAs: state, acceptedAt: at }),
    state,
    isBooked,
    ...(isTransferReversed !== undefined && { isTransferReversed }),
    amountMinor: seen.amountMinor,
    // Another amount than was claimed may be less than the tip.
    ...(seen.amountMinor < (refund.tipMinor ?? 0n) && { tipMinor: seen.amountMinor }),
    reference: seen.reference,
    ...(failure !== undefined && { failure }),
    ...(pendingReason !== undefined && { pendingReason }),
    version: refund.version + 1,
    updatedAt: at,
    checks: 0,
  };
  const nextCheckAt = nextRefundCheck(refund, moved, at);
  return {
    refund: nextCheckAt === undefined ? moved : { ...moved, nextCheckAt },
    ...((isMoved || isFirst) && { passed: state }),
    reviews: reviewsOf(refund, moved),
  };
}

/** A pending one is checked again; the keys of a refund made here are deleted in time. */
function nextRefundCheck(before: Refund, after: Refund, at: EpochMs): EpochMs | undefined {
  if (after.state === 'pending') return at + firstRefundCheckMs;
  return before.nextCheckAt === undefined ? undefined : keysEndAt(after);
}

/**
 * The end of the retention of a refund's keys, counted from its last change. A refund may be pending
 * for days, and a key that was forgotten meanwhile would make a second refund (D44).
 */
export function keysEndAt({ updatedAt }: Refund): EpochMs {
  return updatedAt + keyRetentionMs;
}

function reviewsOf(before: Refund, after: Refund): readonly ReviewReason[] {
  const reviews: ReviewReason[] = [];
  if (!isCounted(before) && isCounted(after)) reviews.push('refundedAfterFailure');
  else if (before.amountMinor !== after.amountMinor) reviews.push('refundedAnotherAmount');
  if (isLeftReversed(after) && !isLeftReversed(before)) reviews.push('refundFailedAfterReversal');
  return reviews;
}

/** Whether it gave nothing back, and the platform has its amount: the business's account lost it all the same. */
export function isLeftReversed({ isTransferReversed = false, ...refund }: Refund): boolean {
  return isTransferReversed && !isCounted(refund);
}

/**
 * What refunds that failed have left at the platform of the transfer to the business. A refund that reverses
 * nothing takes from it, and so does cash in a failed refund's place: the operator transfers that back.
 */
export function leftReversedMinor(refunds: readonly Refund[], cashMinor: bigint): bigint {
  // Of those that were found at once, the one that failed was made first.
  const rank = (refund: Refund) => (isLeftReversed(refund) ? 0 : 1);
  const ordered = refunds.toSorted((a, b) => a.createdAt - b.createdAt || rank(a) - rank(b));
  const leftMinor = ordered.reduce((sum, refund) => {
    if (isLeftReversed(refund)) return sum + refund.amountMinor;
    const { isTransferReversed = refund.reversesTransfer } = refund;
    return isTransferReversed || !isCounted(refund) ? sum : orNothing(sum - refund.amountMinor);
  }, 0n);
  return orNothing(leftMinor - cashMinor);
}

/** A refund that was made at the processor, as a new record. */
export function foundRefund(
  id: string,
  { paymentId, account }: Pick<Refund, 'paymentId' | 'account'>,
  seen: ProcessorRefund,
  at: EpochMs,
  tipMinor: bigint,
  parts?: readonly Part[],
): Refund {
  const { reference, state, amountMinor, currency, failure, isBooked = true } = seen;
  const { isTransferReversed, pendingReason } = seen;
  return {
    id,
    paymentId,
    account,
    currency,
    amountMinor,
    ...(tipMinor > 0n && { tipMinor }),
    ...(parts !== undefined && { parts }),
    origin: 'elsewhere',
    returnsFee: false,
    reversesTransfer: false,
    state,
    isBooked,
    ...(isTransferReversed !== undefined && { isTransferReversed }),
    version: 1,
    reference,
    ...(failure !== undefined && { failure }),
    ...(state === 'pending' && pendingReason !== undefined && { pendingReason }),
    createdAt: at,
    updatedAt: at,
    acceptedAs: state,
    acceptedAt: at,
    ...(state === 'pending' && { nextCheckAt: at + firstRefundCheckMs }),
    checks: 0,
  };
}
