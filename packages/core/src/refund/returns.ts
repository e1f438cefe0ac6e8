import { commit } from '../frame/commit.ts';
import type { Business } from '../host/host.ts';
import { ask, handleOf, readAtProcessor } from '../payment/carry.ts';
import { cannotRead, notSetUpOrUnread, type ProcessorFault } from '../payment/faults.ts';
import type { RequestedAmount } from '../payment/find.ts';
import { type Payment, refundSaidAt } from '../payment/payment.ts';
import { endReviews, openReview, refundReview } from '../payment/reviews.ts';
import { partsLeft, type TipParts, tipIn, tipLast } from '../payment/tip.ts';
import { type EventMaker, touchPayment, writeSeen } from '../payment/write.ts';
import type { Ports } from '../ports/ports.ts';
import type { ProcessorError } from '../ports/processor.ts';
import type { Change, CommitError, StoreUnavailable } from '../ports/store.ts';
import { conflict, type Fault } from '../problems/problem.ts';
import { type Share, split, toPart } from '../share/share.ts';
import {
  leftToShares,
  type PaymentReturns,
  partsOfShares,
  sharesOf,
  takeFrom,
} from '../share/shares-of.ts';
import { timeOfDenied, timeOfTold } from '../statement/open-day.ts';
import { maxListedTenders } from '../tender/tender.ts';
import type { ReviewReason } from '../upkeep/review.ts';
import { between, orNothing, sumOf } from '../values/bounds.ts';
import { formatMoney } from '../values/money.ts';
import { err, ok, type Result, type Steps } from '../values/result.ts';
import { canBeId } from '../values/text.ts';
import type { EpochMs } from '../values/time.ts';
import {
  accountGone,
  carryRefund,
  disputeEvent,
  disputeEventTypes,
  disputeMoves,
  followingChanges,
  listAtProcessor,
  openRefundReviews,
  refundEvent,
  refundMoves,
} from './carry-refund.ts';
import {
  type Dispute,
  type DisputeBooking,
  type Disputed,
  followDispute,
  type Held,
  heldMinor,
  openedDispute,
  type ProcessorDispute,
} from './dispute.ts';
import {
  followRefund,
  foundRefund,
  isCounted,
  isLeftReversed,
  leftReversedMinor,
  maxListedRefunds,
  maxRefunds,
  type ProcessorRefund,
  type Refund,
  type RefundAtWork,
  type RefundStep,
  refundedMinor,
} from './refund.ts';

// How much of a payment can still be refunded.

/**
 * The refundable amount; negative if refunds and disputes together exceed the payment. A refund in another
 * currency cannot be subtracted, so it counts as the whole payment.
 */
export function refundableMinor({ payment, refunds, disputes, cash }: PaymentReturns): bigint {
  const { capturedMinor = 0n, currency } = payment;
  const refunded = refundedMinor(refunds, currency) ?? capturedMinor;
  const heldBack = disputedMinor(disputes, payment);
  return capturedMinor - refunded - sumOf(cash).amountMinor - heldBack;
}

/**
 * The part of a payment that its disputes keep from being refunded (D44). An amount in another currency
 * than the payment's cannot be subtracted, so that dispute keeps the whole payment (D45).
 */
export function disputedMinor(disputes: readonly Held[], payment: Disputed): bigint {
  return disputes.reduce((sum, one) => sum + heldMinor(one, payment), 0n);
}

/** The owed part and the tip that can be refunded; of a shared payment, what is left to all its shares. */
export function refundableParts(returned: PaymentReturns): TipParts {
  const { payment, refunds, cash } = returned;
  if (payment.shares !== undefined) return partsOfShares(leftToShares(returned));
  const tipMinor = tipIn(payment, payment.capturedMinor ?? 0n) - sumOf(cash).tipMinor;
  return partsLeft(refundableMinor(returned), tipMinor, refunds);
}

/**
 * Decides the amount of a new refund: the requested one, or the full rest. It subtracts all
 * amounts that were refunded, may be refunded, or are withheld by a dispute. The tip goes back last,
 * unless the request says how much of the refund is tip.
 * @param left what is left of the whole payment, or of the shares that the request names.
 */
export function decideRefundable(
  returned: PaymentReturns,
  requested: RequestedAmount,
  left = refundableParts(returned),
): Result<{ readonly amountMinor: bigint; readonly tipMinor: bigint }, Fault<'conflict'>> {
  const full = tooManyReturns(returned);
  if (full !== undefined) return err(full);
  const leftMinor = left.owedMinor + left.tipMinor;
  const { tipMinor = tipLast(requested.amountMinor ?? leftMinor, left) } = requested;
  const { amountMinor = left.owedMinor + tipMinor } = requested;
  const isCovered = tipMinor <= left.tipMinor && amountMinor - tipMinor <= left.owedMinor;
  if (amountMinor <= 0n || !isCovered) return err(exceedsRefundable(leftMinor, left.tipMinor));
  return ok({ amountMinor, tipMinor });
}

function exceedsRefundable(leftMinor: bigint, tipMinor: bigint): Fault<'conflict'> {
  const refundable = formatMoney(orNothing(leftMinor));
  const rest = `Only ${refundable} of this payment can still be refunded`;
  const reason = 'exceedsRefundable';
  if (tipMinor <= 0n) return conflict(reason, `${rest}.`, { refundable });
  const refundableTip = formatMoney(tipMinor);
  return conflict(reason, `${rest}, ${refundableTip} of it as tip.`, { refundable, refundableTip });
}

/** Why a payment takes no further refund, if it has too many. */
export function tooManyReturns({
  refunds,
  disputes,
}: PaymentReturns): Fault<'conflict'> | undefined {
  // Longer lists are cut, so the rest would be overstated.
  if (refunds.length >= maxListedRefunds) return tooMany(refunds.length, 'refunds');
  if (disputes.length >= maxListedRefunds) return tooMany(disputes.length, 'disputes');
  const made = refunds.filter(({ origin }) => origin === 'here').length;
  return made < maxRefunds ? undefined : tooMany(made, 'refunds');
}

function tooMany(count: number, records: 'refunds' | 'disputes'): Fault<'conflict'> {
  return conflict('tooManyRefunds', `The payment has ${count} ${records} already.`);
}

/**
 * Decides whether a new refund reverses the transfer to the business, and returns the platform's fee, by the
 * policy of the payment's business. What a failed refund has left at the platform goes to the customer first,
 * without another reversal. The processor cannot reverse a part only, so a larger refund has to wait (D44).
 */
export function decideReversal(
  { payment, refunds, cash }: PaymentReturns,
  business: Pick<Business, 'refundPolicy'> | undefined,
  amountMinor: bigint,
): Result<Pick<Refund, 'returnsFee' | 'reversesTransfer'>, Fault<'conflict'>> {
  const { returnsFee: returns = false, reversesTransfer = true } = business?.refundPolicy ?? {};
  // Only a payment with a fee can return one.
  const returnsFee = returns && payment.applicationFeeMinor !== undefined;
  const leftMinor = leftReversedMinor(refunds, sumOf(cash).amountMinor);
  if (!reversesTransfer || leftMinor === 0n) return ok({ returnsFee, reversesTransfer });
  // The fee went back with the transfer.
  if (amountMinor <= leftMinor) return ok({ returnsFee: false, reversesTransfer: false });
  const left = formatMoney(leftMinor);
  const detail = `The platform still has ${left} of an earlier refund that failed. Refund ${left} first, then the rest.`;
  return err(conflict('leftReversed', detail, { left, contactlessPaymentId: payment.id }));
}

/** What is left of a payment, if only amounts in its own currency are subtracted. Others cannot be compared. */
export function comparableLeftMinor(returned: PaymentReturns): bigint {
  const { currency } = returned.payment;
  const refunds = returned.refunds.filter((one) => one.currency === currency);
  const disputes = returned.disputes.filter(
    (one) => one.currency === currency && one.bookedIn === currency,
  );
  return refundableMinor({ ...returned, refunds, disputes });
}

// How refunds and disputes that the processor shows are recorded.

/** The refunds and disputes of a payment at the processor. */
interface ProcessorReturns {
  readonly refunds: readonly ProcessorRefund[];
  readonly disputes: readonly ProcessorDispute[];
}

/**
 * Reads these records. Read the payment before: a write with its version fails if a refund or
 * dispute was recorded since.
 */
export async function* readReturns(
  ports: Pick<Ports, 'store'>,
  payment: Payment,
): Steps<PaymentReturns, StoreUnavailable> {
  const { refunds, disputes, tenders } = ports.store;
  return {
    payment,
    refunds: yield* await refunds.listByPayment(payment.id, maxListedRefunds),
    disputes: yield* await disputes.listByPayment(payment.id, maxListedRefunds),
    cash: yield* await tenders.listByPayment(payment.id, maxListedTenders),
  };
}

/** Lists the payment's refunds and disputes at the processor. */
export async function listReturns(
  ports: Ports,
  payment: Payment,
): Promise<Result<ProcessorReturns, ProcessorError>> {
  const { disputes } = ports.processor;
  const refunded = await listAtProcessor(ports, payment);
  if (refunded.isErr()) return err(refunded.error);
  const disputed = await ask(ports, 'listDisputes', () => disputes.list(handleOf(ports, payment)));
  return disputed.map((found) => ({
    refunds: distinct(refunded.value),
    disputes: distinct(found),
  }));
}

/**
 * Finishes a refund that this call holds. One that may have been sent before is only looked up if a dispute
 * holds its amount by now, because it would go back twice.
 */
export async function* finishRefunding(
  ports: Ports,
  payment: Payment,
  refund: RefundAtWork,
): Steps<Refund, ProcessorFault | CommitError> {
  const isHeldBack = refund.work.fence > 1 && (yield* isContested(ports, payment, refund));
  return yield* await carryRefund(ports, payment, refund, isHeldBack);
}

async function* isContested(
  ports: Ports,
  payment: Payment,
  { id, amountMinor }: Refund,
): Steps<boolean, StoreUnavailable> {
  const returned = yield* readReturns(ports, payment);
  const others = returned.refunds.filter((one) => one.id !== id);
  const leftMinor = refundableMinor({ ...returned, refunds: others });
  return returned.disputes.length > 0 && leftMinor < amountMinor;
}

/** The fault of a refund whose payment cannot be read at the processor. */
export function cannotRefund(error: ProcessorError) {
  return notSetUpOrUnread(error, accountGone);
}

/** A list that grows while its pages are read may show an item twice. The later copy counts. */
function distinct<T extends { readonly reference: string }>(listed: readonly T[]): readonly T[] {
  return [...new Map(listed.map((one) => [one.reference, one])).values()];
}

/**
 * Reads the payment's refunds and disputes here and at the processor, and records where ours differ. This ends a
 * review which says that they cannot be read.
 */
export async function* followReturns(
  ports: Ports,
  payment: Payment,
  cause: string,
): Steps<PaymentReturns, Fault<'serviceUnavailable'> | CommitError> {
  const { here, there } = yield* readBothReturns(ports, payment, cause);
  const ended = yield* endReviews(ports, payment.id, 'unreadableAtProcessor');
  return yield* recordReturns(ports, here, there, cause, ended);
}

/**
 * Reads the payment's refunds and disputes here and at the processor. They may be seen before the capture whose
 * amount and tip they take from, which is recorded first then.
 */
export async function* readBothReturns(
  ports: Ports,
  payment: Payment,
  cause: string,
): Steps<
  { readonly here: PaymentReturns; readonly there: ProcessorReturns },
  Fault<'serviceUnavailable'> | CommitError
> {
  const here = yield* readReturns(ports, yield* recordCapture(ports, payment, cause));
  const there = yield* (await listReturns(ports, here.payment)).mapErr(cannotRead);
  return { here, there };
}

async function* recordCapture(
  ports: Ports,
  payment: Payment,
  cause: string,
): Steps<Payment, Fault<'serviceUnavailable'> | CommitError> {
  if (payment.state === 'captured') return payment;
  const seen = yield* (await readAtProcessor(ports, payment)).mapErr(cannotRead);
  return seen?.status === 'captured'
    ? yield* await writeSeen(ports, payment, seen, cause)
    : payment;
}

/**
 * Records where our refunds and disputes differ from the processor's.
 * @param here was read before the processor's lists.
 * @param alongside changes that are written too, even without a difference.
 */
export async function* recordReturns(
  ports: Ports,
  here: PaymentReturns,
  there: ProcessorReturns,
  cause: string,
  alongside: readonly Change[] = [],
): Steps<PaymentReturns, CommitError> {
  const { payment } = here;
  const at = ports.clock.now();
  const lost = yield* lostRefunds(ports, here, there.refunds);
  const shown = yield* wholeDisputes(ports, payment, there.disputes);
  // All took from what no other dispute held: one may have been won before, or lost since.
  const disputed = here.disputes.map((one) => leastHeld(payment, one, shown, at));
  const refunds = refundNews(ports, { ...here, disputes: disputed }, there.refunds, lost, at);
  const refunded = {
    ...here,
    refunds: replaced(
      here.refunds,
      refunds.map(({ after }) => after.refund),
    ),
  };
  const disputes = disputeNews(ports, refunded, disputed, { ...there, disputes: shown }, at);
  if (refunds.length + disputes.length === 0) {
    if (alongside.length > 0) yield* await commit(ports, alongside);
    return here;
  }
  const told = refunds.filter(({ after }) => after.passed !== undefined);
  const touched = touchPayment(ports, payment, at, cause, [
    ...told.map(({ after }) => refundEvent(after.refund)),
    ...disputes.map(({ event }) => event),
  ]);
  const changes: Change[] = disputes.map(({ change }) => change);
  for (const one of refunds) changes.push(...(yield* await changesOfRefund(ports, one, at)));
  for (const { before, after, seen } of refunds) {
    const madeAt = yield* timeOfTold(ports, payment, seen.madeAt);
    const isDenied = before?.state === 'failed' && !before.isBooked;
    const dated = {
      madeAt: isDenied ? yield* timeOfDenied(ports, payment, 'refund', madeAt) : madeAt,
      returnedAt: yield* timeOfTold(ports, payment, seen.returnedAt ?? at),
    };
    changes.push(...refundMoves(payment, before, after.refund, dated));
  }
  for (const { before, dispute, seen } of disputes) {
    const openedAt = yield* timeOfTold(ports, payment, seen.openedAt ?? at);
    const bookings: DisputeBooking[] = [];
    for (const one of seen.bookings) {
      const dated = one.at !== undefined && { at: yield* timeOfTold(ports, payment, one.at) };
      bookings.push({ ...one, ...dated });
    }
    changes.push(...disputeMoves(payment, before, dispute, { bookings, openedAt }));
  }
  const returned: PaymentReturns = {
    ...refunded,
    payment: touched.after,
    disputes: replaced(
      here.disputes,
      disputes.map(({ dispute }) => dispute),
    ),
  };
  changes.push(...(yield* twiceChanges(ports, here, returned, at)));
  yield* await commit(ports, [...changes, ...touched.changes, ...alongside]);
  return returned;
}

/** Opens the review of a payment that went back in two ways, or ends it. */
export async function* twiceChanges(
  ports: Ports,
  before: PaymentReturns,
  after: PaymentReturns,
  at: EpochMs,
): Steps<readonly Change[], StoreUnavailable> {
  const isTwice = isGivenBackTwice(after);
  if (isTwice === isGivenBackTwice(before)) return [];
  const { payment } = after;
  const [paymentId, reason] = [payment.id, 'givenBackTwice'] as const;
  return isTwice
    ? openReview(refundReview({ ...payment, paymentId }, reason, at))
    : yield* endReviews(ports, paymentId, reason);
}

/** Whether a dispute contests what went back already, in part or whole. A refund may never be made until it is accepted. */
function isGivenBackTwice(returned: PaymentReturns): boolean {
  const refunds = returned.refunds.filter(({ acceptedAt }) => acceptedAt !== undefined);
  return (
    returned.payment.state === 'captured' && comparableLeftMinor({ ...returned, refunds }) < 0n
  );
}

/** The same records, with this refund as it is now. */
export function withRefund(returned: PaymentReturns, refund: Refund): PaymentReturns {
  return { ...returned, refunds: replaced(returned.refunds, [refund]) };
}

function replaced<T extends { readonly id: string }>(
  before: readonly T[],
  after: readonly T[],
): readonly T[] {
  return [...before.filter(({ id }) => after.every((one) => one.id !== id)), ...after];
}

/** A refund whose record differs from the processor's list. */
interface RefundNews {
  /** Absent if it has no record yet. */
  readonly before?: Refund;
  readonly after: RefundStep;
  readonly seen: ProcessorRefund;
}

/** The ids of refunds that were made here, and whose records were lost with the database. */
async function* lostRefunds(
  { store }: Ports,
  { refunds }: PaymentReturns,
  listed: readonly ProcessorRefund[],
): Steps<ReadonlySet<string>, StoreUnavailable> {
  const lost = new Set<string>();
  for (const { refundId = '', reference } of listed) {
    // Stryker disable next-line all: it saves a read, which would find it.
    const isKnown = refunds.some((one) => one.id === refundId || one.reference === reference);
    if (isKnown || !canBeId(refundId)) continue;
    // Marks can be copied from another payment.
    if ((yield* await store.refunds.get(refundId)) === undefined) lost.add(refundId);
  }
  return lost;
}

function refundNews(
  ports: Ports,
  here: PaymentReturns,
  listed: readonly ProcessorRefund[],
  lost: ReadonlySet<string>,
  at: EpochMs,
): readonly RefundNews[] {
  const { payment, refunds } = here;
  const taken = new Set<string>();
  const found: Refund[] = [];
  return listed.flatMap((seen): readonly RefundNews[] => {
    const own = refunds.find(({ id }) => id === seen.refundId);
    const isOwn = own !== undefined && (own.reference ?? seen.reference) === seen.reference;
    const before =
      refunds.find(({ reference }) => reference === seen.reference) ??
      (isOwn && !taken.has(own.id) ? own : undefined);
    if (before !== undefined) {
      taken.add(before.id);
      const after = followRefund(before, seen, at);
      if (after === undefined) return [];
      // A bank may return a refund days later. If a person said that it took place, a new review says
      // so (D201).
      const isDenied = before.state === 'succeeded' && !isCounted(after.refund);
      const reviews = [...after.reviews];
      if (isDenied && refundSaidAt(payment) !== undefined) reviews.push('refundedHereFailedThere');
      return [{ before, after: { ...after, reviews }, seen }];
    }
    // The processor does not know which part is tip, so the tip goes last (D48).
    const now = { ...here, refunds: [...refunds, ...found] };
    const shares = payment.shares && leftElsewhere(now, listed, seen.amountMinor);
    const left = shares ? partsOfShares(shares) : refundableParts(now);
    const tipMinor = tipLast(seen.amountMinor, left);
    const { refundId = '' } = seen;
    const isMarkedTwice = own !== undefined || found.some(({ id }) => id === refundId);
    // The host knows a refund that was made here by its id.
    const isLost = !isMarkedTwice && lost.has(refundId);
    const made = foundRefund(
      isLost ? refundId : ports.ids.next('rfd'),
      { paymentId: payment.id, account: payment.account },
      seen,
      at,
      tipMinor,
      // Nobody has said whose money it is.
      shares && takeFrom(shares, { amountMinor: seen.amountMinor, tipMinor }),
    );
    const refund: Refund = isLost ? { ...made, origin: 'here', isRestored: true } : made;
    found.push(refund);
    const reviews: ReviewReason[] = isLeftReversed(refund) ? ['refundFailedAfterReversal'] : [];
    // Two refunds have one mark of ours, so a person has to decide.
    if (isMarkedTwice) reviews.push('refundedTwice');
    return [{ after: { refund, passed: refund.state, reviews }, seen }];
  });
}

/**
 * What is left to each share for an amount that went without us. If it is more than is left, a refund of ours that the
 * processor does not list can no longer be made: its part may have gone instead.
 */
function leftElsewhere(
  here: PaymentReturns,
  listed: readonly ProcessorRefund[],
  amountMinor: bigint,
): readonly Share[] {
  const left = leftToShares(here);
  if (amountMinor <= sumOf(left).amountMinor) return left;
  const isMade = ({ id, acceptedAt }: Refund) =>
    acceptedAt !== undefined || listed.some((one) => one.refundId === id);
  return leftToShares({ ...here, refunds: here.refunds.filter(isMade) });
}

async function changesOfRefund(
  ports: Ports,
  { before, after }: RefundNews,
  at: EpochMs,
): Promise<Result<readonly Change[], StoreUnavailable>> {
  if (before !== undefined) return followingChanges(ports, before, after, at);
  const { refund, reviews } = after;
  return ok([{ kind: 'insertRefund', refund }, ...openRefundReviews(refund, reviews, at)]);
}

/**
 * The disputes with all that was booked for them. Stripe shows at most two bookings of each: of one that is lost after
 * it was won, only the recorded entries have the third.
 */
async function* wholeDisputes(
  { store }: Ports,
  payment: Payment,
  shown: readonly ProcessorDispute[],
): Steps<readonly ProcessorDispute[], StoreUnavailable> {
  if (shown.length === 0) return shown;
  const entries = yield* await store.settlements.listByPayment(payment.id, maxEntries);
  return shown.map((seen) => {
    const { reference, bookings, bookedIn = seen.currency ?? payment.currency } = seen;
    const booked = entries.filter(
      ({ kind, subject, currency }) =>
        kind === 'dispute' && subject === reference && currency === bookedIn,
    );
    const isBooked = ({ amountMinor, at }: DisputeBooking) =>
      booked.some((entry) => entry.amountMinor === amountMinor && entry.at === at);
    const isPart = bookings.length < booked.length && bookings.every(isBooked);
    return isPart ? { ...seen, bookings: booked, bookedIn } : seen;
  });
}

/** Entries of one payment. */
const maxEntries = 1000;

/** The dispute as it is known or as the processor shows it, whichever holds less. */
function leastHeld(
  payment: Payment,
  before: Dispute,
  shown: readonly ProcessorDispute[],
  at: EpochMs,
): Dispute {
  const seen = shown.find(({ reference }) => reference === before.reference);
  const followed = (seen && followDispute(before, seen, at)) ?? before;
  return heldMinor(followed, payment) < heldMinor(before, payment) ? followed : before;
}

/** A dispute whose record differs from what the processor shows. */
interface DisputeNews {
  /** Absent if it has no record yet. */
  readonly before?: Dispute;
  readonly dispute: Dispute;
  readonly change: Change;
  readonly event: EventMaker;
  readonly seen: ProcessorDispute;
}

/** Compares the recorded disputes of a payment with those that the processor shows. */
function disputeNews(
  ports: Ports,
  here: PaymentReturns,
  least: readonly Dispute[],
  { refunds, disputes: shown }: ProcessorReturns,
  at: EpochMs,
): readonly DisputeNews[] {
  const { payment, disputes: known } = here;
  const free = { ...here, disputes: least };
  return shown.flatMap((seen): readonly DisputeNews[] => {
    const before = known.find(({ reference }) => reference === seen.reference);
    if (before === undefined) {
      const opened = openedDispute(ports.ids.next('dsp'), payment, seen, at);
      const dispute = withParts(opened, free, refunds);
      const event = disputeEvent(dispute, disputeEventTypes[dispute.state]);
      const change = { kind: 'insertDispute', dispute } as const;
      return [{ dispute, change, event, seen }];
    }
    const followed = followDispute(before, seen, at);
    if (followed === undefined) return [];
    // Nothing of it was held so far, as with an inquiry: the payment may have been shared or refunded since.
    const isHeld = heldMinor(before, payment) > 0n;
    const dispute = isHeld ? followed : withParts(followed, free, refunds);
    const type =
      dispute.state === 'open'
        ? 'contactlessPayment.disputeChanged'
        : disputeEventTypes[dispute.state];
    const { version: expectedVersion } = before;
    const change: Change = { kind: 'updateDispute', dispute, expectedVersion };
    const event = disputeEvent(dispute, type);
    return [{ before, dispute, change, event, seen }];
  });
}

/**
 * The dispute, with whose money it contests: what is left to each share now. If it takes more, money has already gone
 * back, and those to whom it belonged lose the rest.
 */
function withParts(
  dispute: Dispute,
  here: PaymentReturns,
  refunds: readonly ProcessorRefund[],
): Dispute {
  const { shares, currency } = here.payment;
  if (shares === undefined) return dispute;
  const { amountMinor } = dispute;
  const left = leftElsewhere(here, refunds, amountMinor);
  const gone = sharesOf(here.payment).map(
    (share, index) => share.amountMinor - (left[index]?.amountMinor ?? 0n),
  );
  const beyondMinor = amountMinor - sumOf(left).amountMinor;
  const goneMinor = gone.reduce((sum, one) => sum + one, 0n);
  const isComparable = dispute.currency === currency;
  const again = split(isComparable ? between(0n, beyondMinor, goneMinor) : 0n, gone);
  const parts = left
    .map((share, index) => ({ ...share, amountMinor: share.amountMinor + (again[index] ?? 0n) }))
    .filter((part) => part.amountMinor > 0n)
    .map(toPart);
  return parts.length === 0 ? dispute : { ...dispute, parts };
}
