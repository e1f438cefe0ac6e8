import * as v from 'valibot';
import { find } from '../call/access.ts';
import { commit } from '../call/commit.ts';
import { parseInput } from '../call/input.ts';
import { toLimit } from '../call/limit.ts';
import { hostTask } from '../call/operation.ts';
import { conflict } from '../domain/refusals.ts';
import { err } from '../domain/result.ts';
import type { Review, ReviewReason } from '../domain/review.ts';
import { isLonger, isStorable } from '../domain/text.ts';
import { formatTimestamp } from '../domain/time.ts';

export interface ListReviewsInput {
  /** Default: `open`. */
  readonly state?: 'open' | 'resolved' | undefined;
  /** The maximum number of entries, up to 1,000. Default: 100. */
  readonly limit?: number | undefined;
  /** The id of the last entry of the previous page. */
  readonly after?: string | undefined;
}

/** A payment that needs a person, in the host's view. */
export interface ReviewView {
  readonly id: string;
  readonly reason: ReviewReason;
  /** The processor account that the payment lives in. */
  readonly account: string;
  /** Our payment. For an orphan, the id in the processor's mark, which no stored payment has. */
  readonly contactlessPaymentId?: string;
  /** The processor's id of the payment, if it is known. */
  readonly processorReference?: string;
  /**
   * Present if the entry stands for several payments: at least so many. An account has 20 open entries
   * with one reason, and further findings are counted in one more. `openedAt` is then the time of the
   * newest.
   */
  readonly count?: number;
  readonly openedAt: string;
  readonly resolvedAt?: string;
  readonly note?: string;
}

export interface ResolveReviewInput {
  readonly reviewId: string;
  /** The person's note about the solution: 1 to 2,000 characters, kept with the entry. */
  readonly note: string;
}

const reviewsSchema = v.object({
  state: v.optional(v.picklist(['open', 'resolved'])),
  after: v.optional(v.string()),
});
const maxNoteLength = 2000;
const resolveSchema = v.object({
  reviewId: v.string(),
  note: v.pipe(
    v.string(),
    v.check(
      (note) => note !== '' && isStorable(note) && !isLonger(note, maxNoteLength),
      `1 to ${maxNoteLength} characters`,
    ),
  ),
});

export const reviews = {
  /**
   * Lists the payments that need a person, oldest first (D43).
   *
   * @example
   * const reviews = await chairside.listReviews();
   * for (const { id, reason } of reviews.unwrapOr([])) console.log(id, reason);
   */
  listReviews: hostTask<[input?: ListReviewsInput], readonly ReviewView[]>()({
    problems: ['badRequest'],
    async *task({ ports }, input = {}) {
      const { state = 'open', after } = yield* parseInput(reviewsSchema, { ...input });
      // Reviews have no ids that cannot be stored (D12).
      if (after !== undefined && !isStorable(after)) return [];
      const found = yield* await ports.store.reviews.list(state, toLimit(input.limit), after);
      return found.map(viewReview);
    },
  }),

  /**
   * Closes an open review with a note. The payment does not change. A repetition with the same note
   * returns the entry. Another note is a conflict, so that both notes survive.
   *
   * @example
   * const closed = await chairside.resolveReview({
   *   reviewId: 'rev_01h',
   *   note: 'Refunded at the processor.',
   * });
   */
  resolveReview: hostTask<[input: ResolveReviewInput], ReviewView>()({
    problems: ['badRequest', 'notFound', 'conflict'],
    async *task({ ports }, input) {
      const { reviewId, note } = yield* parseInput(resolveSchema, { ...input });
      const review = yield* await find('review', reviewId, ports.store.reviews);
      if (review.resolvedAt !== undefined) {
        if (review.note === note) return viewReview(review);
        const detail = 'The review was resolved before, with another note.';
        return yield* err(conflict('alreadyResolved', detail));
      }
      const resolvedAt = ports.clock.now();
      yield* await commit(ports, [{ kind: 'resolveReview', id: reviewId, resolvedAt, note }]);
      return viewReview({ ...review, resolvedAt, note });
    },
  }),
};

function viewReview(review: Review): ReviewView {
  const { id, reason, account, paymentId, reference, count, openedAt } = review;
  const { resolvedAt, note } = review;
  return {
    id,
    reason,
    account,
    ...(paymentId !== undefined && { contactlessPaymentId: paymentId }),
    ...(reference !== undefined && { processorReference: reference }),
    ...(count !== undefined && { count }),
    openedAt: formatTimestamp(openedAt),
    ...(resolvedAt !== undefined && { resolvedAt: formatTimestamp(resolvedAt) }),
    ...(note !== undefined && { note }),
  };
}
