import { typeId } from './id.ts';
import { sha256Hex } from './sha256.ts';
import type { EpochMs } from './time.ts';

export const reviewReasons = [
  'canceledHereCapturedThere',
  'capturedHereCanceledThere',
  'capturedAnotherAmount',
  'capturedBeyondDue',
  'unsettled',
  'orphanCaptured',
  'orphanNotCanceled',
  'unreadableAtProcessor',
  'refundUnsettled',
  'refundedAnotherAmount',
  'refundedAfterFailure',
  'refundedTwice',
] as const;
/** Why a person should look at a payment. `unsettled` ends once the payment can be settled. */
export type ReviewReason = (typeof reviewReasons)[number];

/** One entry of the list of payments that need a person (D43). */
export interface Review {
  readonly id: string;
  readonly reason: ReviewReason;
  /** The processor account that the payment lives in. */
  readonly account: string;
  /** Our payment. For an orphan, the id in the processor's mark, which no stored payment has. */
  readonly paymentId?: string;
  /** The processor's id of the payment, if it is known. */
  readonly reference?: string;
  /**
   * Of a folded entry, which stands for several payments: at least so many. `openedAt` is then the time
   * of the newest payment that is counted.
   */
  readonly count?: number;
  readonly openedAt: EpochMs;
  /** Absent while the review is open. */
  readonly resolvedAt?: EpochMs;
  /** The note of the person who resolved it. */
  readonly note?: string;
}

/** The maximum of open entries of one account and reason that a sweep makes, besides a folded one. */
export const maxReviewsOfCause = 20;

/**
 * The id of a review, derived from its content. A finding that is repeated, after a crash for
 * example, makes one entry.
 * @param at orders the entries by time; the same finding always has the same time.
 */
export function reviewId(at: EpochMs, ...about: readonly (string | number)[]): string {
  const hash = sha256Hex(JSON.stringify(about));
  const bytes = Uint8Array.from({ length: 10 }, (_, index) =>
    Number.parseInt(hash.slice(2 * index, 2 * index + 2), 16),
  );
  return typeId('rev', at, bytes);
}
