import { findManagedPayment } from '../call/access.ts';
import type { Caller } from '../call/call.ts';
import { type CommonProblem, perform, type Run } from '../call/perform.ts';
import type { PaymentState } from '../domain/payment.ts';
import type { ProblemOf } from '../domain/problem.ts';
import type { ResultAsync } from '../domain/result.ts';
import type { ReviewReason } from '../domain/review.ts';
import { formatTimestamp } from '../domain/time.ts';
import type { Ports } from '../ports/ports.ts';

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

export type GetPaymentTimelineError = ProblemOf<'forbidden' | 'notFound' | CommonProblem>;

/** Explains a payment's state to the people who run the shop (D26). Holds no secret. */
export function getPaymentTimeline(
  ports: Ports,
  caller: Caller,
  input: GetPaymentTimelineInput,
): ResultAsync<PaymentTimeline, GetPaymentTimelineError> {
  return perform(ports, 'getPaymentTimeline', caller, (run) => steps(run, input), input);
}

async function* steps({ ports, auth }: Run, input: GetPaymentTimelineInput) {
  const payment = yield* findManagedPayment(ports, auth, input.contactlessPaymentId);
  const { state, review } = payment;
  const items = payment.timeline.map((entry) => ({ ...entry, at: formatTimestamp(entry.at) }));
  return { state, ...(review !== undefined && { review }), items, count: items.length };
}
