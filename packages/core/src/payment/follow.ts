import { keyRetentionMs } from '../frame/record.ts';
import type { ReviewReason } from '../upkeep/review.ts';
import type { EpochMs } from '../values/time.ts';
import {
  authorizedLifetimeMs,
  byWord,
  type CancelCause,
  draftWithoutWork,
  endedByWordAt,
  isErased,
  nextCheck,
  noted,
  openLifetimeMs,
  type Payment,
  type PaymentDraft,
  type PaymentState,
  type ProcessorPayment,
  pathTo,
  withoutUnsettled,
} from './payment.ts';

/** A payment after a step: the record, and what its commit tells beside it. */
interface Step {
  readonly payment: Payment;
  /** The states that it passed through, in order; empty if the state is unchanged. */
  readonly passed: readonly PaymentState[];
  /** The time when a review reason appeared or ended, otherwise the payment's last change. */
  readonly reviewedAt?: EpochMs;
}

/** A step of this service: it holds the payment, closes it, or notes something. It captures nothing. */
export interface OwnStep extends Step {
  readonly capturedMinor?: never;
  readonly correctedAt?: never;
}

/** A step that the processor's books show. */
export interface BooksStep extends Step {
  /** The captured amount, if these books are the first to show it. */
  readonly capturedMinor?: bigint;
  /**
   * The processor's time at which it shows that a capture, which a person's word recorded, took no money,
   * or took it after all. A day that was recorded never changes, so the amount moves on the day of this
   * time (D201).
   */
  readonly correctedAt?: EpochMs;
}

/**
 * Whether a payment is past its deadline at the time `at`. An authorization ends at its capture
 * deadline. An open payment ends by the time when the processor opened it, if the processor states
 * that (D17, D42).
 */
export function isOverdue(payment: Payment, seen: ProcessorPayment, at: EpochMs): boolean {
  return at >= dueAt(payment, seen, at);
}

export function dueAt(payment: Payment, seen: ProcessorPayment, at: EpochMs): EpochMs {
  const { captureBefore, openedAt } = seen;
  const { expiresAt, state } = followBooks(payment, seen, at, 'expired').payment;
  // A partial authorization counts as failed, so the capture deadline does not apply.
  if (state === 'authorized') return captureBefore ?? expiresAt;
  return openedAt === undefined ? expiresAt : openedAt + openLifetimeMs;
}

/**
 * Whether the issuer approved less than the amount. Such a payment counts as failed and is released.
 */
export function isPartial(payment: Payment, seen: ProcessorPayment): boolean {
  const { status, amountMinor, authorizedMinor = amountMinor } = seen;
  // If the processor shows a different amount altogether, a smaller approval proves no partial
  // authorization (D16).
  if (amountMinor !== payment.amountMinor) return false;
  return status === 'authorized' && authorizedMinor < payment.amountMinor;
}

/**
 * Moves a payment to the state that the processor's books show (D15). The processor wins: a
 * payment that is `canceled` here and captured there is corrected and marked for review. So is one that a
 * person's word captured and that is canceled there (D201). One whose capture it takes back is marked. A state
 * that no transition reaches leaves the payment's state unchanged.
 * @param asked the payment's state when the processor was asked: the reply may be older than a capture since.
 */
export function followBooks(
  payment: Payment,
  seen: ProcessorPayment,
  at: EpochMs,
  cause: string,
  asked = payment.state,
): BooksStep {
  const corrected = payment.state === 'canceled' && seen.status === 'captured';
  const partial = isPartial(payment, seen);
  const status = partial ? 'failed' : seen.status;
  const isLost = status === 'canceled' || (asked === 'captured' && status !== 'captured');
  if (payment.state === 'captured' && isLost) return lost(payment, seen, at, cause);
  const passed = corrected ? ['captured' as const] : pathTo(payment.state, status);
  if (passed === undefined) return { payment, passed: [] };
  if (passed.length === 0) return { payment: learn(payment, seen), passed };
  const moved = moveAlong(payment, passed, seen, at, cause);
  // `reconcile` releases it at once.
  if (partial) moved.nextCheckAt = at;
  if (moved.state !== 'captured') return { payment: moved, passed };
  const { capturedMinor = payment.amountMinor } = moved;
  const isOther = capturedMinor !== payment.amountMinor || seen.currency !== payment.currency;
  const followed = { payment: reviewOfCapture(payment, moved, isOther, at), passed, capturedMinor };
  return payment.capturedAt === undefined ? followed : { ...followed, correctedAt: seen.at ?? at };
}

function reviewOfCapture(
  before: Payment,
  captured: Payment,
  isOther: boolean,
  at: EpochMs,
): Payment {
  // News, whatever was reviewed before.
  if (before.state === 'canceled') {
    return { ...captured, review: 'canceledHereCapturedThere', nextCheckAt: at };
  }
  if (isOther) return reviewedNow(captured, 'capturedAnotherAmount', at);
  const isUndue = undueCauses.includes(before.work?.cause);
  return isUndue ? reviewedNow(captured, 'capturedBeyondDue', at) : captured;
}

/**
 * A payment that is captured here and not there. A capture that the processor has shown stays until a person
 * says that it took no money; one that only a person's word recorded ends once it is canceled there (D201).
 */
function lost(payment: Payment, seen: ProcessorPayment, at: EpochMs, cause: string): BooksStep {
  const review: ReviewReason = 'capturedHereCanceledThere';
  if (cause !== byWord && endedByWordAt(payment) === undefined) {
    // News, whatever was reviewed before.
    if (payment.review === review) return { payment, passed: [] };
    return { payment: { ...payment, review, nextCheckAt: at }, passed: [], reviewedAt: at };
  }
  // Its capture may still end.
  if (seen.status !== 'canceled') return { payment, passed: [] };
  const passed = ['canceled' as const];
  const moved = { ...moveAlong(payment, passed, seen, at, cause), review, nextCheckAt: at };
  return { payment: moved, passed, correctedAt: seen.at ?? at, reviewedAt: at };
}

/** It was being canceled because the appointment does not owe it. */
const undueCauses: readonly (CancelCause | undefined)[] = [
  'appointmentPaid',
  'exceedsRemainingBalance',
  'currencyChanged',
  'customerChanged',
  'setupChanged',
  'visitPaid',
];

/** Passes through these states, and copies the facts of the book entry. */
function moveAlong(
  payment: Payment,
  passed: readonly PaymentState[],
  seen: ProcessorPayment,
  at: EpochMs,
  cause: string,
): PaymentDraft {
  const last = passed.at(-1);
  const isOver = last === 'captured' || last === 'canceled';
  const draft = isOver ? draftWithoutWork(withoutUnsettled(payment)) : { ...payment };
  for (const state of passed) {
    draft.timeline = noted(draft.timeline, { at, what: state, cause });
    enter(draft, state, seen, at);
  }
  draft.version = payment.version + passed.length;
  draft.updatedAt = at;
  draft.checks = 0;
  if (seen.reference !== undefined) draft.reference = seen.reference;
  // Erased personal data must not come back.
  if (seen.card !== undefined && !isErased(payment)) draft.card = seen.card;
  return draft;
}

function enter(
  draft: PaymentDraft,
  state: PaymentState,
  seen: ProcessorPayment,
  at: EpochMs,
): void {
  draft.state = state;
  switch (state) {
    case 'authorized': {
      // The processor's time if it states one, because a deadline follows from it (D42).
      const seenAt = seen.at ?? at;
      const authorizedAt = seen.authorizedAt ?? Math.min(seenAt, seen.capturedAt ?? seenAt);
      draft.authorizedAt = authorizedAt;
      draft.expiresAt = seen.captureBefore ?? authorizedAt + authorizedLifetimeMs;
      draft.nextCheckAt = nextCheck(draft.expiresAt, at);
      return;
    }
    case 'captured':
      // What the statement of a day has shown stays there (D50).
      draft.capturedAt ??= seen.capturedAt ?? seen.at ?? at;
      draft.capturedMinor ??= seen.capturedMinor ?? draft.amountMinor;
      endWork(draft, at);
      return;
    case 'canceled':
      endWork(draft, at);
      return;
  }
}

/**
 * Ends all work. The keys are kept for a while (D21), and the payment is checked once more
 * afterwards.
 */
function endWork(draft: PaymentDraft, at: EpochMs): void {
  draft.reserved = false;
  draft.nextCheckAt = at + keyRetentionMs;
}

/** Copies from a book entry everything about a payment but its state. */
function learn(payment: Payment, { reference, card }: ProcessorPayment): Payment {
  // Erased personal data must not come back.
  if (isErased(payment)) return payment;
  const isNews = reference !== undefined && reference !== payment.reference;
  const learned = isNews ? { ...payment, reference } : payment;
  return card === undefined ? learned : { ...learned, card };
}

/**
 * Marks a payment for review. The first reason stays, unless it was only `unsettled`. A reason
 * found again at every check therefore makes one entry in the list of reviews.
 */
export function forReview(payment: Payment, review: ReviewReason): Payment {
  const isFirst = payment.review === undefined || payment.review === 'unsettled';
  return isFirst ? { ...payment, review } : payment;
}

/** The next `reconcile` reports it. */
export function reviewedNow(payment: Payment, review: ReviewReason, at: EpochMs): Payment {
  const marked = forReview(payment, review);
  return marked === payment ? payment : { ...marked, nextCheckAt: at };
}
