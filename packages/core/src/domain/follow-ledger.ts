import type { Card } from './card.ts';
import {
  authorizedLifetimeMs,
  keyRetentionMs,
  maxTimelineEntries,
  nextLook,
  type Payment,
  type PaymentState,
  pathTo,
  type TimelineEntry,
} from './payment.ts';
import type { ReviewReason } from './review.ts';
import type { EpochMs } from './time.ts';

/** A payment as the processor's ledger shows it. */
export interface ProcessorPayment {
  /** The processor's id of the payment; some assign it only when a card is presented. */
  readonly reference?: string;
  /** The processor's state, in the names of D15. */
  readonly status: PaymentState;
  readonly account: string;
  readonly currency: string;
  readonly amountMinor: bigint;
  /** What the card's issuer approved; less than `amountMinor` is a partial authorization. */
  readonly authorizedMinor?: bigint;
  readonly capturedMinor?: bigint;
  readonly card?: Card;
  readonly authorizedAt?: EpochMs;
  readonly capturedAt?: EpochMs;
  /** The processor's capture deadline. */
  readonly captureBefore?: EpochMs;
  /** When the processor opened it, by the processor's clock. */
  readonly openedAt?: EpochMs;
  /**
   * The processor's time when it sent this reply. Age is decided by it, so that a node whose clock is
   * off releases no money (D42). Replies to reads and lists carry it where the processor states one.
   */
  readonly at?: EpochMs;
  readonly clientSecret: string;
}

/** What an observation made of a payment. */
export interface Followed {
  readonly payment: Payment;
  /** The states it passed through, in order; empty when nothing moved. */
  readonly passed: readonly PaymentState[];
  /** What the processor took, where this observation is the first to show it. */
  readonly capturedMinor?: bigint;
}

/** Less was approved than asked for: that counts as failed, and is released (D13). */
export function isPartial(payment: Payment, seen: ProcessorPayment): boolean {
  const { status, amountMinor, authorizedMinor = amountMinor } = seen;
  // Where the processor shows another amount altogether, a smaller approval proves nothing (D16).
  if (amountMinor !== payment.amountMinor) return false;
  return status === 'authorized' && authorizedMinor < payment.amountMinor;
}

/**
 * Moves a payment to where the processor's ledger shows it (D15). The processor wins: what is
 * `canceled` here and captured there is corrected, and marked for review. What the ledger shows
 * and no transition allows leaves the state alone.
 */
export function followLedger(
  payment: Payment,
  seen: ProcessorPayment,
  at: EpochMs,
  cause: string,
): Followed {
  const corrected = payment.state === 'canceled' && seen.status === 'captured';
  const partial = isPartial(payment, seen);
  const status = partial ? 'failed' : seen.status;
  const passed = corrected ? ['captured' as const] : pathTo(payment.state, status);
  if (passed === undefined) {
    const lost = payment.state === 'captured' && status === 'canceled';
    return {
      payment: lost ? reviewedNow(payment, 'capturedHereCanceledThere', at) : payment,
      passed: [],
    };
  }
  if (passed.length === 0) return { payment: learn(payment, seen), passed };
  const moved = passed.reduce((from, state) => step(from, state, seen, at, cause), payment);
  const known = learn(moved, seen);
  // `reconcile` is to release it at once.
  if (partial) return { payment: { ...known, nextCheckAt: at }, passed };
  if (known.state !== 'captured') return { payment: known, passed };
  const capturedMinor = seen.capturedMinor ?? payment.amountMinor;
  const review = corrected
    ? 'canceledHereCapturedThere'
    : capturedMinor !== payment.amountMinor
      ? 'capturedAnotherAmount'
      : isUndue(payment) && 'capturedBeyondDue';
  return { payment: review ? reviewedNow(known, review, at) : known, passed, capturedMinor };
}

/** It was being canceled because the appointment does not owe it (D13, D39). */
function isUndue({ work }: Payment): boolean {
  switch (work?.cause) {
    case 'appointmentPaid':
    case 'exceedsRemainingBalance':
    case 'currencyChanged':
      return work.kind === 'cancel';
    default:
      return false;
  }
}

function step(
  payment: Payment,
  state: PaymentState,
  seen: ProcessorPayment,
  at: EpochMs,
  cause: string,
): Payment {
  const moved = noted(
    { ...payment, state, version: payment.version + 1, updatedAt: at, checks: 0 },
    { at, what: state, cause },
  );
  switch (state) {
    case 'authorized': {
      const authorizedAt = seen.authorizedAt ?? Math.min(at, seen.capturedAt ?? at);
      const expiresAt = seen.captureBefore ?? authorizedAt + authorizedLifetimeMs;
      return {
        ...moved,
        authorizedAt,
        expiresAt,
        nextCheckAt: nextLook(expiresAt, at),
      };
    }
    case 'captured':
      return settled({ ...moved, capturedAt: seen.capturedAt ?? at }, at);
    case 'canceled':
      return settled(moved, at);
    default:
      return moved;
  }
}

/** Nothing is under way any more; the keys are kept for a while (D21), then looked at once more. */
function settled(payment: Payment, at: EpochMs): Payment {
  const { work: _work, ...rest } = withoutUnsettled(payment);
  return { ...rest, reserved: false, nextCheckAt: at + keyRetentionMs };
}

/** Takes over what a ledger entry tells of a payment beside its state. */
function learn(payment: Payment, { reference, card }: ProcessorPayment): Payment {
  const isNews = reference !== undefined && reference !== payment.reference;
  const learned = isNews ? { ...payment, reference } : payment;
  return card === undefined ? learned : { ...learned, card };
}

/** The payment once the processor could be asked about it after all. */
export function withoutUnsettled(payment: Payment): Payment {
  if (payment.review !== 'unsettled') return payment;
  const { review: _review, ...rest } = payment;
  return rest;
}

/** Marks it for a person to look at. The first reason stays, unless it was only `unsettled`. */
export function forReview(payment: Payment, review: ReviewReason): Payment {
  const isFirst = payment.review === undefined || payment.review === 'unsettled';
  return isFirst ? { ...payment, review } : payment;
}

/** The next `reconcile` is to report it. */
function reviewedNow(payment: Payment, review: ReviewReason, at: EpochMs): Payment {
  const marked = forReview(payment, review);
  return marked === payment ? payment : { ...marked, nextCheckAt: at };
}

/** The payment with one more line in its timeline, which never outgrows its bound. */
export function noted(payment: Payment, entry: TimelineEntry): Payment {
  const { timeline } = payment;
  // The beginning explains as much as the end; what goes is the middle.
  const kept =
    timeline.length < maxTimelineEntries
      ? timeline
      : [
          ...timeline.slice(0, maxTimelineEntries / 2),
          ...timeline.slice(maxTimelineEntries / 2 + 1),
        ];
  return { ...payment, timeline: [...kept, entry] };
}
