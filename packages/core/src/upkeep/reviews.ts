import * as v from 'valibot';
import { find } from '../frame/access.ts';
import { actorOf, commit, subjectOf } from '../frame/commit.ts';
import { hostTask, parseInput, toLimit } from '../frame/operation.ts';
import type { ByActor } from '../frame/record.ts';
import { notHeld, readAtProcessor, timeOf } from '../payment/carry.ts';
import { cannotRead, didNotSay } from '../payment/faults.ts';
import { followBooks } from '../payment/follow.ts';
import {
  askAgainEveryMs,
  byWord,
  isFinal,
  isOpened,
  noted,
  type Payment,
} from '../payment/payment.ts';
import { changeReview, endReviews } from '../payment/reviews.ts';
import { changesOf, touchPayment } from '../payment/write.ts';
import type { Ports } from '../ports/ports.ts';
import type { ProcessorError } from '../ports/processor.ts';
import type { Change, CommitError, StoreUnavailable } from '../ports/store.ts';
import { badRequest, conflict, type Fault, fieldFault } from '../problems/problem.ts';
import {
  endedUnseen,
  listAtProcessor,
  openRefundReviews,
  refundEvent,
  refundMoves,
  reviewOfOpen,
} from '../refund/carry-refund.ts';
import { maxListedRefunds, type Refund } from '../refund/refund.ts';
import { readReturns, twiceChanges, withRefund } from '../refund/returns.ts';
import { settlementId } from '../statement/settlement.ts';
import type { PayoutView } from '../statement/wire.ts';
import { formatMoneyIn } from '../values/money.ts';
import { err, type Result, type Steps } from '../values/result.ts';
import { canBeId, isLonger, isStorable } from '../values/text.ts';
import { dayMs, type EpochMs, formatTimestamp } from '../values/time.ts';
import { type Review, type ReviewOutcome, type ReviewReason, reviewOutcomes } from './review.ts';
import { cancelOrphan } from './sweep-list.ts';

interface ListReviewsInput {
  /** Default: `open`. */
  readonly state?: 'open' | 'resolved' | undefined;
  /** The maximum number of entries, up to 1,000. Default: 100. */
  readonly limit?: number | undefined;
  /** The id of the last entry of the previous page. */
  readonly after?: string | undefined;
}

/** A payment or payout that needs a person, in the host's view. */
export interface ReviewView {
  readonly id: string;
  readonly reason: ReviewReason;
  /** The processor account that the payment or payout lives in. */
  readonly account: string;
  /** Our payment. For an orphan, the id in the processor's mark, which no stored payment has. */
  readonly contactlessPaymentId?: string;
  /** The processor's id of the payment, if it is known, or of the payout. */
  readonly processorReference?: string;
  /** The payout of `payoutFailed`, as it is known now. */
  readonly payout?: Pick<PayoutView, 'amount' | 'currency' | 'state' | 'failure'>;
  /**
   * Present if the entry stands for several payments: at least so many. An account has 20 open entries
   * with one reason, and further findings are counted in one more. `openedAt` is then the time of the
   * newest.
   */
  readonly count?: number;
  readonly openedAt: string;
  readonly resolvedAt?: string;
  readonly note?: string;
  /** What a person said; absent if the person only noted something. */
  readonly outcome?: ReviewOutcome;
  /** Who resolved it. */
  readonly by?: string;
}

interface ResolveReviewInput {
  readonly reviewId: string;
  /**
   * The person's note about the solution: 1 to 2,000 characters, kept with the entry. `eraseCustomer` erases it
   * with the payment's other free text. Name no customer if the review's payment has no record here.
   */
  readonly note: string;
  /**
   * What happened at the processor, where it can no longer be asked: the account is gone, it denies the
   * payment while it shows others, or it has not told the end for 72 hours. `tookPlace` and
   * `didNotTakePlace` end the payment, charge or refund and its reservation, and need `by`.
   * `didNotTakePlace` also ends a payment whose review is `capturedHereCanceledThere`. `noted`, the default,
   * changes nothing. What the processor shows later wins, and opens a new review.
   */
  readonly outcome?: ReviewOutcome | undefined;
  /** Who says so: 1 to 255 characters, kept with the entry and in the timeline. */
  readonly by?: string | undefined;
}

const reviewsSchema = v.strictObject({
  state: v.optional(v.picklist(['open', 'resolved'])),
  after: v.optional(v.string()),
  // Any number is a limit (`toLimit`).
  limit: v.optional(v.unknown()),
});
const maxNoteLength = 2000;
const resolveSchema = v.strictObject({
  reviewId: v.string(),
  note: v.pipe(
    v.string(),
    v.check(
      (note) => note !== '' && isStorable(note) && !isLonger(note, maxNoteLength),
      `1 to ${maxNoteLength} characters`,
    ),
  ),
  outcome: v.optional(v.picklist(reviewOutcomes), 'noted'),
  by: v.optional(v.pipe(v.string(), v.check(canBeId, '1 to 255 characters'))),
});

export const reviews = {
  /**
   * Lists the payments and payouts that need a person, oldest first.
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
      const names: Names = new Map();
      const shown: ReviewView[] = [];
      for (const review of found) shown.push(yield* viewReview(ports, review, names));
      return shown;
    },
  }),

  /**
   * Closes an open review with a note. A repetition with the same note and outcome returns the entry;
   * another one is a conflict, so that both notes survive. An outcome ends what the processor does not
   * tell; it may follow a review that was only noted.
   *
   * @example
   * const closed = await chairside.resolveReview({
   *   reviewId: 'rev_01h',
   *   note: 'Refunded at the processor.',
   * });
   */
  resolveReview: hostTask<[input: ResolveReviewInput], ReviewView>()({
    problems: ['badRequest', 'notFound', 'conflict', 'serviceUnavailable'],
    async *task({ ports }, input) {
      const { reviewId, note, outcome, by } = yield* parseInput(resolveSchema, { ...input });
      const review = yield* await find('review', reviewId, ports.store.reviews);
      const isResolved = review.resolvedAt !== undefined;
      if (isResolved && review.note === note && (review.outcome ?? 'noted') === outcome) {
        return yield* viewReview(ports, review);
      }
      const isNoted = outcome !== 'noted' && (review.outcome ?? 'noted') === 'noted';
      if (isResolved && !isNoted) {
        const detail = 'The review was resolved before, with another note or outcome.';
        return yield* err(conflict('alreadyResolved', detail));
      }
      const resolvedAt = ports.clock.now();
      const who = yield* await actorOf({
        ...ports,
        acting: by === undefined ? by : { subject: by },
      });
      const word = {
        resolvedAt,
        note,
        ...(outcome !== 'noted' && { outcome }),
        ...(who.actor !== undefined && { resolvedBy: who.actor }),
      };
      // A review that was noted keeps its note; the timeline of the payment holds the word.
      const resolving = isResolved ? [] : [changeReview(review, word)];
      if (outcome === 'noted') yield* await commit(ports, resolving);
      else if (by === undefined) {
        return yield* err(
          badRequest([fieldFault('/by', 'An outcome needs the name of a person.')]),
        );
      } else yield* endByWord(ports, review, { outcome, by: who }, resolving);
      return yield* viewReview(ports, isResolved ? review : { ...review, ...word });
    },
  }),
};

/** Ends what the review is about, by a person's word. */
async function* endByWord(ports: Ports, review: Review, word: Word, resolving: readonly Change[]) {
  if (review.reason === 'orphanAuthorized') {
    yield* cancelByWord(ports, review, word, resolving);
    return;
  }
  if (review.paymentId === undefined) {
    return yield* err(notOpen('It is about no payment; give a note instead.'));
  }
  const payment = yield* await find('payment', review.paymentId, ports.store.payments);
  const isLost =
    review.reason === 'capturedHereCanceledThere' &&
    payment.state === 'captured' &&
    word.outcome === 'didNotTakePlace';
  if (review.reason === 'unsettled' || isLost) {
    const others = yield* endReviews(ports, payment.id, review.reason, review.id);
    yield* endPaymentByWord(ports, payment, word, isLost, [...resolving, ...others]);
    return;
  }
  const listed = yield* await ports.store.refunds.listByPayment(payment.id, maxListedRefunds);
  const refund = listed.find((one) => reviewOfOpen(one).id === review.id);
  if (refund === undefined) {
    const detail = 'An outcome can be said only of what is unsettled; give a note instead.';
    return yield* err(conflict('notOpen', detail));
  }
  yield* endRefundByWord(ports, payment, refund, word, resolving);
}

/** Who the numbers of persons stand for. Each is read once. */
type Names = Map<Review['resolvedBy'], string | undefined>;

/** With the name of the person who resolved it. */
async function* viewReview(
  ports: Ports,
  review: Review,
  names: Names = new Map(),
): Steps<ReviewView, StoreUnavailable> {
  const { resolvedBy } = review;
  // Stryker disable next-line ConditionalExpression: a name may be read twice.
  if (!names.has(resolvedBy)) names.set(resolvedBy, yield* await subjectOf(ports, resolvedBy));
  const by = names.get(resolvedBy);
  const payout = yield* shownPayout(ports, review);
  const { id, reason, account, paymentId, reference, count, openedAt } = review;
  const { resolvedAt, note, outcome } = review;
  return {
    id,
    reason,
    account,
    ...(paymentId !== undefined && { contactlessPaymentId: paymentId }),
    ...(reference !== undefined && { processorReference: reference }),
    ...(payout !== undefined && { payout }),
    ...(count !== undefined && { count }),
    openedAt: formatTimestamp(openedAt),
    ...(resolvedAt !== undefined && { resolvedAt: formatTimestamp(resolvedAt) }),
    ...(note !== undefined && { note }),
    ...(outcome !== undefined && { outcome }),
    ...(by !== undefined && { by }),
  };
}

async function* shownPayout(
  { store }: Ports,
  { reason, account, reference }: Review,
): Steps<ReviewView['payout'], StoreUnavailable> {
  // Stryker disable next-line ConditionalExpression,LogicalOperator: it only saves a read.
  if (reason !== 'payoutFailed' || reference === undefined) return undefined;
  const payout = yield* await store.payouts.get(settlementId(account, reference));
  if (payout === undefined) return undefined;
  const { amountMinor, currency, state, failure } = payout;
  const amount = formatMoneyIn(amountMinor, currency);
  return { amount, currency, state, ...(failure !== undefined && { failure }) };
}

/** What a person says of work whose end the processor does not tell. */
interface Word {
  readonly outcome: 'tookPlace' | 'didNotTakePlace';
  /** Who says so. */
  readonly by: ByActor;
}

/** Lets the card of an orphan go, which upkeep does not do by itself. */
async function* cancelByWord(
  ports: Ports,
  review: Review,
  { outcome }: Word,
  resolving: readonly Change[],
): EndByWord {
  const { paymentId } = review;
  if (paymentId === undefined || outcome === 'tookPlace') {
    return yield* err(notOpen('Only didNotTakePlace can be said of one held card.'));
  }
  if ((yield* await ports.store.payments.get(paymentId)) !== undefined) {
    return yield* err(notOpen('The payment is recorded by now: cancel it here.'));
  }
  const end = await cancelOrphan(ports, { ...review, paymentId });
  if (end === 'notReached') return yield* err(didNotSay('it canceled it'));
  if (end === 'refused') return yield* err(notOpen('The processor refused to cancel it.'));
  yield* await commit(ports, resolving);
}

type EndByWord = Steps<void, Fault<'conflict'> | Fault<'serviceUnavailable'> | CommitError>;

/**
 * Ends a payment or a charge by a person's word, with its reservation. The processor is asked first: what
 * it shows counts, and a denial counts only while it shows another payment of the account, because with a
 * wrong key every payment looks unknown.
 * @param isLost the payment is captured here, and the processor has taken the capture back.
 * @param resolving resolves the review in the same commit.
 */
async function* endPaymentByWord(
  ports: Ports,
  payment: Payment,
  word: Word,
  isLost: boolean,
  resolving: readonly Change[],
): EndByWord {
  yield* notHeld(ports, payment);
  const isSent = payment.reserved && isOpened(payment);
  if (isFinal(payment) && !isLost) return yield* err(notOpen('The payment has ended already.'));
  if (word.outcome === 'tookPlace' && !isSent) {
    return yield* err(
      notOpen('No capture of this payment was sent, so none can have taken place.'),
    );
  }
  const seen = await readAtProcessor(ports, payment);
  const there = seen.unwrapOr(undefined)?.status;
  const isAgreed = isLost && (there === 'canceled' || there === 'failed');
  // No 72 hours of silence came before this review, so a failed read proves nothing.
  const isUntold = seen.isErr() && seen.error.kind === 'unavailable' && seen.error.why !== 'denied';
  if (isLost && isUntold) return yield* err(cannotRead());
  if (!isAgreed) yield* mayBelieve(ports, payment, seen);
  const at = yield* await timeOf(ports);
  const { account, amountMinor, currency, clientSecret = '' } = payment;
  const status = word.outcome === 'tookPlace' ? ('captured' as const) : ('canceled' as const);
  const shown = { account, amountMinor, currency, clientSecret, status };
  const followed = followBooks(payment, shown, at, byWord);
  const { changes } = changesOf(ports, payment, {
    ...followed,
    // Nobody was told that it began.
    ...(!isOpened(payment) && { passed: [] }),
    payment: { ...said(followed.payment, word, at), nextCheckAt: at + askAgainEveryMs },
  });
  yield* await commit(ports, [...resolving, ...changes]);
}

/** Ends a refund by a person's word, with what it reserves. */
async function* endRefundByWord(
  ports: Ports,
  payment: Payment,
  refund: Refund,
  word: Word,
  resolving: readonly Change[],
): EndByWord {
  yield* notHeld(ports, refund);
  if (refund.state !== 'pending') return yield* err(notOpen('The refund has ended already.'));
  const listed = await listAtProcessor(ports, payment);
  const own = listed.map((all) =>
    all.find((one) => one.refundId === refund.id || one.reference === refund.reference),
  );
  // A list of the payment's refunds proves that the account can be read.
  if (listed.isErr() || own.unwrapOr(undefined) !== undefined) {
    yield* mayBelieve(ports, payment, own);
  }
  const here = yield* readReturns(ports, payment);
  const at = yield* await timeOf(ports);
  const state = word.outcome === 'tookPlace' ? ('succeeded' as const) : ('failed' as const);
  const ended = endedUnseen(refund, state, at);
  const after = { ...ended.refund, nextCheckAt: at + askAgainEveryMs };
  yield* await commit(ports, [
    ...resolving,
    { kind: 'updateRefund', refund: after, expectedVersion: refund.version },
    ...touchPayment(ports, said(payment, word, at), at, byWord, [refundEvent(after)]).changes,
    ...refundMoves(payment, refund, after),
    ...openRefundReviews(after, ended.reviews, at),
    ...(yield* twiceChanges(ports, here, withRefund(here, after), at)),
  ]);
}

/** Adds the line that names the person. */
function said(payment: Payment, { outcome, by }: Word, at: EpochMs): Payment {
  return {
    ...payment,
    timeline: noted(payment.timeline, { at, what: outcome, cause: byWord, ...by }),
  };
}

/**
 * Whether a person's word counts beside this answer of the processor: the account is gone, the processor
 * does not tell, or it denies the payment and shows another one of the account.
 */
async function* mayBelieve(
  ports: Ports,
  payment: Payment,
  seen: Result<unknown, ProcessorError>,
): Steps<void, Fault<'conflict'> | Fault<'serviceUnavailable'> | StoreUnavailable> {
  if (seen.isOk() && seen.value !== undefined) return yield* err(processorKnows());
  if (seen.isErr()) {
    const { error } = seen;
    if (error.kind === 'rateLimited') return yield* err(cannotRead());
    if (error.kind === 'unavailable' && error.why !== 'denied') {
      return error.why === 'keyRejected' ? yield* err(processorDeniesAll()) : undefined;
    }
    if (error.kind === 'notSetUp') return;
  }
  yield* showsAnother(ports, payment);
}

/** The span in which another payment of the account is looked for, and how many are asked for. */
const lookBackMs = 400 * dayMs;
const maxAsked = 3;

async function* showsAnother(
  ports: Ports,
  { id, businessId, account }: Payment,
): Steps<void, Fault<'conflict'> | StoreUnavailable> {
  const now = ports.clock.now();
  const span = { from: now - lookBackMs, until: now + dayMs };
  const captured = yield* await ports.store.payments.listCaptured(businessId, span, 100);
  const others = captured.filter((one) => one.id !== id && one.account === account);
  for (const other of others.slice(-maxAsked)) {
    const shown = await readAtProcessor(ports, other);
    if (shown.isOk() && shown.value !== undefined) return;
  }
  yield* err(processorDeniesAll());
}

function notOpen(detail: string): Fault<'conflict'> {
  return conflict('notOpen', detail);
}

function processorKnows(): Fault<'conflict'> {
  return conflict('processorKnows', 'The processor shows it; upkeep records what it shows.');
}

function processorDeniesAll(): Fault<'conflict'> {
  return conflict(
    'processorDeniesAll',
    'The processor shows no payment of this account: check the key before you say an outcome.',
  );
}
