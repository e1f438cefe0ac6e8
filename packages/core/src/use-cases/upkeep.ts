import type { OperationName } from '../call/admission.ts';
import type { Call, Caller } from '../call/call.ts';
import type { CommonProblem } from '../call/perform.ts';
import type { Fault, Problem, ProblemOf, ProblemType } from '../domain/problem.ts';
import type { ResultAsync } from '../domain/result.ts';
import type { DeadLetter, ListDeadLettersInput } from '../operations/deadLetters.ts';
import type {
  DeliverEventsInput,
  DeliveryReport,
  EventHandler,
} from '../operations/deliverEvents.ts';
import type {
  ProcessorEventReceipt,
  ReceiveProcessorEventError,
} from '../operations/receiveProcessorEvent.ts';
import type { ReconcileInput, ReconcileReport } from '../operations/reconcile.ts';
import type {
  ListReviewsError,
  ListReviewsInput,
  ResolveReviewError,
  ResolveReviewInput,
  ReviewView,
} from '../operations/reviews.ts';
import type { RawEvent } from '../ports/processor-event.ts';
import type { EventKey } from '../ports/store.ts';
import type { UpkeepInput, UpkeepReport } from '../upkeep.ts';

/** The work that a host starts by a timer, by a scheduler, or for the people who run the shop. */
export interface UpkeepUseCases {
  /**
   * Finishes interrupted work, expires payments, removes old keys and compares open payments with the
   * processor. Run it on a timer, on any number of nodes. Each call does a bounded amount of work.
   *
   * @example
   * const report = await chairside.reconcile();
   * const isMoreDue = report.isOk() && report.value.more;
   */
  reconcile(input?: ReconcileInput): ResultAsync<ReconcileReport, ProblemOf<CommonProblem>>;

  /**
   * Reconciles and delivers until neither has more to do, or the time is over. For hosts that a
   * scheduler wakes.
   *
   * @example
   * const report = await chairside.upkeep({ deliver: async (event) => console.log(event.type) });
   */
  upkeep(input?: UpkeepInput): ResultAsync<UpkeepReport, ProblemOf<'badRequest' | CommonProblem>>;

  /**
   * Lists the payments that need a person, oldest first.
   *
   * @example
   * const reviews = await chairside.listReviews();
   * for (const { id, reason } of reviews.unwrapOr([])) console.log(id, reason);
   */
  listReviews(input?: ListReviewsInput): ResultAsync<readonly ReviewView[], ListReviewsError>;

  /**
   * Closes an open review with a note. The payment does not change.
   *
   * @example
   * const closed = await chairside.resolveReview({
   *   reviewId: 'rev_01h',
   *   note: 'Refunded at the processor.',
   * });
   */
  resolveReview(input: ResolveReviewInput): ResultAsync<ReviewView, ResolveReviewError>;

  /**
   * Receives a message of the processor exactly as it arrived, because the signature covers its bytes.
   * The messages make updates faster; correctness does not need them.
   *
   * @example
   * const received = await chairside.receiveProcessorEvent({
   *   payload: await request.text(),
   *   headers: { 'stripe-signature': request.headers.get('stripe-signature') ?? undefined },
   * });
   *
   * @param known facts of the transport about the request, for problems and the observer.
   */
  receiveProcessorEvent(
    input: RawEvent,
    known?: Partial<Omit<Call, 'auth'>> | null,
  ): ResultAsync<ProcessorEventReceipt, ReceiveProcessorEventError>;
}

/** Domain events for the host (D26). */
export interface EventUseCases {
  /**
   * Passes due events to the handler, each at least once and those of one payment in order. Run it on a
   * timer, on any number of nodes. An event that the handler rejects comes again later.
   *
   * @example
   * const report = await chairside.events.deliver(async (event) => {
   *   if (event.type === 'contactlessPayment.captured') console.log(event.data.amount);
   * });
   */
  deliver(
    handler: EventHandler,
    input?: DeliverEventsInput,
  ): ResultAsync<DeliveryReport, ProblemOf<'badRequest' | CommonProblem>>;

  /**
   * Lists the events that the handler rejected ten times. Later events of the same subject wait.
   *
   * @example
   * const dead = await chairside.events.listDeadLetters({ limit: 20 });
   */
  listDeadLetters(
    input?: ListDeadLettersInput,
  ): ResultAsync<readonly DeadLetter[], ProblemOf<'badRequest' | CommonProblem>>;

  /**
   * Gives a dead letter ten more attempts.
   *
   * @example
   * const revived = await chairside.events.redeliver({ subject: 'cpm_01h', version: 4 });
   */
  redeliver(
    event: EventKey,
  ): ResultAsync<void, ProblemOf<'badRequest' | 'notFound' | CommonProblem>>;

  /**
   * Drops a dead letter, so that the later events of its subject are delivered.
   *
   * @example
   * const dropped = await chairside.events.skip({ subject: 'cpm_01h', version: 4 });
   */
  skip(event: EventKey): ResultAsync<void, ProblemOf<'badRequest' | 'notFound' | CommonProblem>>;
}

/** Functions for transports, such as `@chairside/h3`. */
export interface TransportFunctions {
  /** Rejects a request for a fault that the transport found, at its place in D11's order. */
  refuse<T extends ProblemType>(
    operation: OperationName,
    call: Call,
    fault: Fault<T>,
    idempotencyKey?: string,
  ): ResultAsync<never, ProblemOf<T | CommonProblem>>;

  /** Makes a Problem of a fault that belongs to no operation. */
  problem(fault: Fault, call: Caller): Problem;
}
