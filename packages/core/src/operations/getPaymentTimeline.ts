import { findManagedPayment } from '../call/access.ts';
import { hostOperation, type OperationError } from '../call/operation.ts';
import type { Run } from '../call/perform.ts';
import type { PaymentState } from '../domain/payment.ts';
import type { ReviewReason } from '../domain/review.ts';
import { formatTimestamp } from '../domain/time.ts';

export interface GetPaymentTimelineInput {
  readonly contactlessPaymentId: string;
}

/** The history of a payment: each event, its time and its trigger. */
export interface PaymentTimeline {
  readonly state: PaymentState;
  /** Why a person should look at it; absent if no review is needed. */
  readonly review?: ReviewReason;
  /** Oldest first, at most 64: a longer history keeps its beginning and its end. */
  readonly items: readonly { readonly at: string; readonly what: string; readonly cause: string }[];
  readonly count: number;
}

export const getPaymentTimeline = {
  /**
   * Explains the state of a payment: each event, its time and its trigger. Contains no secret.
   *
   * @example
   * const history = await chairside.getPaymentTimeline(manager, { contactlessPaymentId: opened.id });
   * const lines = history.map(({ items }) => items.map(({ at, what }) => `${at} ${what}`));
   */
  getPaymentTimeline: hostOperation<GetPaymentTimelineInput, PaymentTimeline>()({
    problems: ['forbidden', 'notFound'],
    run: steps,
  }),
};

export type GetPaymentTimelineError = OperationError<typeof getPaymentTimeline>;

async function* steps({ ports, auth }: Run, input: GetPaymentTimelineInput) {
  const payment = yield* findManagedPayment(ports, auth, input.contactlessPaymentId);
  const { state, review } = payment;
  const items = payment.timeline.map((entry) => ({ ...entry, at: formatTimestamp(entry.at) }));
  return { state, ...(review !== undefined && { review }), items, count: items.length };
}
