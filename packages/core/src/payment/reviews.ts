import type { DomainEvent } from '../event/event.ts';
import type { Ports } from '../ports/ports.ts';
import type { Change, StoreUnavailable } from '../ports/store.ts';
import type { Refund } from '../refund/refund.ts';
import {
  maxListedReviews,
  maxReviewsOfCause,
  type Review,
  type ReviewReason,
  reviewId,
} from '../upkeep/review.ts';
import type { Steps } from '../values/result.ts';
import type { EpochMs } from '../values/time.ts';

/** The note of a review that ends without a person. */
export const endedLater = 'It was settled later.';

export function refundReview(
  {
    id,
    account,
    paymentId,
    reference,
    version,
  }: Pick<Refund, 'id' | 'account' | 'paymentId' | 'reference' | 'version'>,
  reason: ReviewReason,
  at: EpochMs,
): Review {
  return {
    id: reviewId(at, id, reason, version),
    version: 1,
    reason,
    account,
    paymentId,
    ...(reference !== undefined && { reference }),
    openedAt: at,
  };
}

/** A payment or payout as the processor shows it. Repeated findings make one entry. */
export function orphanReview(
  orphan: Pick<Review, 'account' | 'openedAt'> & {
    readonly paymentId?: string | undefined;
    readonly reference?: string | undefined;
  },
  reason: ReviewReason,
): Review {
  const { account, openedAt, paymentId, reference } = orphan;
  return {
    id: reviewId(openedAt, account, reference ?? paymentId ?? '', reason),
    version: 1,
    reason,
    account,
    ...(paymentId !== undefined && { paymentId }),
    ...(reference !== undefined && { reference }),
    openedAt,
  };
}

/** A new entry and its event. */
export function openReview(review: Review): readonly Change[] {
  return [
    { kind: 'insertReview', review },
    { kind: 'appendEvent', event: reviewEvent(review) },
  ];
}

/** The change of an entry that is as it was read. */
export function changeReview(before: Review, after: Partial<Review>): Change {
  const { version: expectedVersion } = before;
  const review = { ...before, ...after, version: expectedVersion + 1 };
  return { kind: 'updateReview', review, expectedVersion };
}

/** Ends the payment's open entries with this reason, all but one that a person ends. */
export async function* endReviews(
  { store, clock }: Ports,
  paymentId: string,
  reason: ReviewReason,
  besides?: string,
): Steps<readonly Change[], StoreUnavailable> {
  const listed = yield* await store.reviews.listByPayment(paymentId, maxListedReviews);
  return listed
    .filter((one) => one.reason === reason && one.resolvedAt === undefined && one.id !== besides)
    .map((one) => changeReview(one, { resolvedAt: clock.now(), note: endedLater }));
}

export function reviewEvent(review: Review): DomainEvent {
  const { id, reason, account, paymentId, reference, openedAt } = review;
  return {
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
  };
}

/**
 * The entries for the findings of a sweep. Findings that have an entry are skipped. Other software may
 * make any number of them, so those beyond the bound of a cause are counted in one folded entry (D43).
 */
export async function* newReviews(
  ports: Ports,
  found: readonly Review[],
): Steps<readonly Change[], StoreUnavailable> {
  const changes: Change[] = [];
  const distinct = new Map(found.map((review) => [review.id, review]));
  const byTime = [...distinct.values()].sort((a, b) => a.openedAt - b.openedAt);
  const causes = Map.groupBy(byTime, ({ account, reason }) => JSON.stringify([account, reason]));
  for (const [first, ...others] of causes.values()) {
    // Stryker disable next-line ConditionalExpression: a group has one at least.
    if (first !== undefined) changes.push(...(yield* reviewsOfCause(ports, first, others)));
  }
  return changes;
}

/** Races of two nodes may open a few entries more than the bound. */
const mostRead = 5 * maxReviewsOfCause;

async function* reviewsOfCause(
  { store: { reviews } }: Ports,
  first: Review,
  others: readonly Review[],
): Steps<readonly Change[], StoreUnavailable> {
  const open = yield* await reviews.listOpenOf(first.account, first.reason, mostRead);
  const before = open.find(({ count }) => count !== undefined);
  let left = maxReviewsOfCause - open.filter(({ count }) => count === undefined).length;
  let folded = before;
  const changes: Change[] = [];
  const payments = new Set(open.map(paymentOf));
  for (const review of [first, ...others]) {
    if ((yield* await reviews.get(review.id)) !== undefined) continue;
    // Another refund or dispute of a payment that is listed, say.
    const payment = paymentOf(review);
    if (payment !== undefined && payments.has(payment)) continue;
    payments.add(payment);
    if (left > 0) {
      left -= 1;
      changes.push(...openReview(review));
      continue;
    }
    // A later pass may find the same payments again. Those up to this time are counted already.
    if (before !== undefined && review.openedAt <= before.openedAt) continue;
    const entry = folded ?? foldedReview(review);
    // A person has resolved the entry that began with this finding.
    if (folded === undefined && (yield* await reviews.get(entry.id)) !== undefined) continue;
    folded = { ...entry, count: (folded?.count ?? 0) + 1, openedAt: review.openedAt };
  }
  // Stryker disable next-line ConditionalExpression: it is undefined only if it was before.
  if (folded === undefined || folded === before) return changes;
  return [
    ...changes,
    ...(before === undefined ? openReview(folded) : [changeReview(before, folded)]),
  ];
}

/** The payment at the processor that an entry is about. */
function paymentOf({ paymentId, reference }: Review): string | undefined {
  return paymentId && reference && JSON.stringify([paymentId, reference]);
}

function foldedReview({ id, account, reason, openedAt }: Review): Review {
  return { id: reviewId(openedAt, id, 'folded'), version: 1, reason, account, openedAt };
}
