import { reviewAfterMs } from '../../domain/payment.ts';
import type { Refund } from '../../domain/refund.ts';
import { ok, type Result } from '../../domain/result.ts';
import type { Review } from '../../domain/review.ts';
import type { EpochMs } from '../../domain/time.ts';
import type { Change } from '../../ports/change.ts';
import type { Ports } from '../../ports/ports.ts';
import type { StoreUnavailable } from '../../ports/store.ts';
import { openReview, refundReview, settledNote } from '../payment/open-review.ts';

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

/** Resolves the review of this refund, once it is settled. Other refunds keep theirs. */
export async function settledReview(
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
function reviewOfUnsettled(refund: Refund): Review {
  const openedAt = refund.createdAt + reviewAfterMs;
  return refundReview({ ...refund, version: 1 }, 'refundUnsettled', openedAt);
}
