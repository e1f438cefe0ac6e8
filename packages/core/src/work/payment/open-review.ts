import type { Payment } from '../../domain/payment.ts';
import type { Refund } from '../../domain/refund.ts';
import { type Review, type ReviewReason, reviewId } from '../../domain/review.ts';
import type { EpochMs } from '../../domain/time.ts';
import type { Change } from '../../ports/change.ts';

/** The note of a review that ends without a person. */
export const settledNote = 'It was settled later.';

/**
 * The review entries for a change of a payment, written with it (D43). An `unsettled` one is
 * resolved automatically.
 */
export function reviewChanges(before: Payment, after: Payment, at: EpochMs): readonly Change[] {
  if (before.review === after.review) return [];
  const ended: Change[] =
    before.review === 'unsettled'
      ? [
          {
            kind: 'resolvePaymentReviews',
            paymentId: before.id,
            reason: before.review,
            resolvedAt: at,
            note: settledNote,
          },
        ]
      : [];
  if (after.review === undefined) return ended;
  const { id, account, reference, review: reason, version } = after;
  const review: Review = {
    id: reviewId(at, id, version),
    reason,
    account,
    paymentId: id,
    ...(reference !== undefined && { reference }),
    openedAt: at,
  };
  return [...ended, ...openReview(review)];
}

/** The review entry that a refund needs. */
export function refundReview(
  { id, account, paymentId, reference, version }: Refund,
  reason: ReviewReason,
  at: EpochMs,
): Review {
  return {
    id: reviewId(at, id, reason, version),
    reason,
    account,
    paymentId,
    ...(reference !== undefined && { reference }),
    openedAt: at,
  };
}

/** A payment that a sweep found at the processor. Repeated findings make one entry. */
export function orphanReview(
  orphan: Pick<Review, 'account' | 'openedAt' | 'paymentId' | 'reference'>,
  reason: ReviewReason,
): Review {
  const { account, openedAt, paymentId, reference } = orphan;
  return {
    id: reviewId(openedAt, account, reference ?? paymentId ?? '', reason),
    reason,
    account,
    ...(paymentId !== undefined && { paymentId }),
    ...(reference !== undefined && { reference }),
    openedAt,
  };
}

/** A new entry and its event. */
export function openReview(review: Review): readonly Change[] {
  const { id, reason, account, paymentId, reference, openedAt } = review;
  return [
    { kind: 'insertReview', review },
    {
      kind: 'appendEvent',
      event: {
        subject: id,
        version: 1,
        type: 'review.opened',
        occurredAt: openedAt,
        data: {
          reviewId: id,
          reason,
          account,
          ...(paymentId !== undefined && { contactlessPaymentId: paymentId }),
          ...(reference !== undefined && { processorReference: reference }),
        },
      },
    },
  ];
}
