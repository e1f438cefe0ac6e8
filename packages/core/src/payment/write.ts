import type {
  DisputeEvent,
  DomainEvent,
  PaymentStateEventData,
  RefundEvent,
  ShareEvent,
} from '../event/event.ts';
import { byMember, commit, isConflict, valueOrReport, versionAfter } from '../frame/commit.ts';
import type { ByActor, EventActor } from '../frame/record.ts';
import type { Ports } from '../ports/ports.ts';
import type { Change, ChangeOf, StoreUnavailable } from '../ports/store.ts';
import { correctionOf } from '../refund/movement.ts';
import { shareEntries } from '../share/entries.ts';
import { owedByVisit } from '../share/share.ts';
import { ownShare, sharesOf } from '../share/shares-of.ts';
import { toldShare } from '../share/wire.ts';
import { timeOfDenied } from '../statement/open-day.ts';
import { type Review, reviewId } from '../upkeep/review.ts';
import { formatMoney } from '../values/money.ts';
import { err, ok, type Result, resultOf, type Steps } from '../values/result.ts';
import type { EpochMs } from '../values/time.ts';
import { backoffMs, giveUp, type Written } from './carry.ts';
import { dueMinorFor, undueVisit } from './dues.ts';
import { readDues } from './find.ts';
import { type BooksStep, followBooks, type OwnStep, reviewedNow } from './follow.ts';
import {
  chargeRefusalOf,
  endedByWordAt,
  isContactless,
  isFinal,
  ledgerIdOf,
  noted,
  type Payment,
  type PaymentAtWork,
  type PaymentState,
  type ProcessorPayment,
  type TimelineEntry,
  type Work,
} from './payment.ts';
import { endReviews, openReview } from './reviews.ts';
import { tipIn, tipMember } from './tip.ts';

/** How often a write is repeated after unrelated changes. */
export const maxTries = 8;

/** What others may have changed meanwhile. */
const staleChanges = ['updatePayment', 'moveLedger', 'updateReview'] as const;

/** A payment after a write, and the changes that write it. */
export interface PaymentChanges {
  readonly after: Payment;
  readonly changes: readonly Change[];
}

/** Writes a step of this service. `take` must be right from any state of the payment. */
export function writePayment(
  ports: Ports,
  payment: Payment,
  take: (stored: Payment) => OwnStep,
  alongside: readonly Change[] = [],
): Written<Payment> {
  return writeChanges(
    ports,
    payment,
    async (stored) => ok(changesOf(ports, stored, take(stored))),
    alongside,
  );
}

/**
 * Writes the changes that `decide` makes of a payment. Another change (an event, say) may come first while
 * the work is still ours. Then it decides from the new record. If the work is no longer ours, this call was
 * fenced out and writes no change (D20).
 */
async function writeChanges(
  ports: Ports,
  payment: Payment,
  decide: (stored: Payment) => Promise<Result<PaymentChanges, StoreUnavailable>>,
  alongside: readonly Change[],
): Written<Payment> {
  let before = payment;
  for (let tries = 1; ; tries += 1) {
    const decided = await decide(before);
    if (decided.isErr()) return err(decided.error);
    const { after, changes } = decided.value;
    const ended = await resultOf(endUnsettled(ports, before, after));
    if (ended.isErr()) return err(ended.error);
    const written = await commit(ports, [...changes, ...ended.value, ...alongside]);
    if (written.isOk()) return ok(after);
    const { error } = written;
    const isStale = staleChanges.some((change) => isConflict(error, change));
    if (!isStale || payment.work === undefined || tries === maxTries) return err(error);
    const stored = await ports.store.payments.get(payment.id);
    if (stored.isErr()) return err(stored.error);
    if (stored.value?.work?.fence !== payment.work.fence) return err(error);
    before = stored.value;
  }
}

/** Ends the `unsettled` entry of a payment that its next state settles. Commit it together with that state. */
export async function* endUnsettled(
  ports: Ports,
  before: Payment,
  after: Payment,
): Steps<readonly Change[], StoreUnavailable> {
  if (before.review !== 'unsettled' || after.review === before.review) return [];
  return yield* endReviews(ports, before.id, before.review);
}

export async function holdPayment(
  ports: Ports,
  payment: Payment,
  work: Work,
): Written<PaymentAtWork> {
  const written = await writePayment(ports, payment, (stored) => ({
    payment: { ...stored, work, nextCheckAt: work.leaseUntil },
    passed: [],
  }));
  return written.map((held) => ({ ...held, work }));
}

/**
 * Releases the work at once, so that the next retry need not wait for the lease (D20).
 * @param needsNewKey the last attempt was not applied and its key only replays a failure, so the
 * next attempt needs a new key.
 */
export function letGo(
  ports: Ports,
  payment: PaymentAtWork,
  outcome: string,
  needsNewKey = false,
): Written<Payment> {
  return writePayment(ports, payment, (stored) => {
    const now = ports.clock.now();
    const work = giveUp(payment.work, now, needsNewKey);
    const entry = { at: now, what: `${work.kind} ${outcome}`, cause: work.kind };
    const freed: Payment = {
      ...stored,
      work,
      nextCheckAt: now + backoffMs(stored.checks),
      checks: stored.checks + 1,
      timeline: noted(stored.timeline, entry),
    };
    return { payment: freed, passed: [] };
  });
}

type LedgerMove = ChangeOf<'moveLedger'>;

/** The bounds of a payment's moves, by the id of the ledger. */
export type Bounds = ReadonlyMap<
  string,
  Pick<LedgerMove, 'maxOpenPayments' | 'maxCommittedMinor' | 'maxTipsMinor' | 'minPaidMinor'>
>;

/** The bounds of what these visits owe. */
export function boundsOf(dues: Iterable<readonly [ledgerId: string, dueMinor: bigint]>): Bounds {
  return new Map([...dues].map(([id, maxCommittedMinor]) => [id, { maxCommittedMinor }]));
}

/**
 * The changes for a payment: itself, the ledgers of its visits and its events, in one commit.
 * @param bounds the commit fails if a ledger of these would exceed its own (D13).
 */
export function changesOf(
  ports: Pick<Ports, 'home'>,
  before: Payment,
  { payment, passed, capturedMinor = 0n, reviewedAt, correctedAt }: OwnStep | BooksStep,
  bounds?: Bounds,
): PaymentChanges {
  const next = versionAfter(ports, before.version);
  const skipped = next - before.version - 1;
  // A version is used once, so an observation without a new state counts as a change too.
  const version = Math.max(payment.version, before.version + 1) + skipped;
  const after = { ...payment, version };
  return {
    after,
    changes: [
      { kind: 'updatePayment', payment: after, expectedVersion: before.version },
      ...ledgerMoves(before, after, bounds),
      ...captureEntries(before, after, correctedAt),
      ...slotChanges(before, after),
      ...passed.map((state, index) => eventOf(before, after, state, next + index, capturedMinor)),
      ...(correctedAt === undefined
        ? []
        : correctionOf(after, correctedAt).map(
            (movement): Change => ({ kind: 'insertMovement', movement }),
          )),
      ...reviewChanges(before, after, reviewedAt ?? after.updatedAt),
    ],
  };
}

function isRevoked(before: Payment, after: Payment): boolean {
  return before.state === 'captured' && after.state === 'canceled';
}

/**
 * The moves of the ledgers of all visits that a payment pays. They count what is owed and the tips apart.
 * @param before none if the payment is new.
 * @param after none if the payment is removed.
 */
export function ledgerMoves(
  before: Payment | undefined,
  after: Payment | undefined,
  bounds?: Bounds,
): readonly LedgerMove[] {
  const moves = new Map<string, ReturnType<typeof emptyMove>>();
  const moveOf = (id: string, currency: string) => {
    const move = moves.get(id) ?? emptyMove(id, currency);
    moves.set(id, move);
    return move;
  };
  for (const [payment, sign] of [[before, -1n] as const, [after, 1n] as const]) {
    if (payment === undefined) continue;
    const { currency, reserved, state } = payment;
    const { id: own } = payment.appointment;
    const ownId = ledgerIdOf(payment);
    moveOf(ownId, currency).openPayments += isFinal(payment) ? 0 : Number(sign);
    if (!reserved && state !== 'captured') continue;
    const sum = reserved ? 'reservedMinor' : 'capturedMinor';
    for (const share of sharesOf(payment)) {
      const move = moveOf(share.appointmentId === own ? ownId : share.appointmentId, currency);
      move[sum] += sign * (share.amountMinor - share.tipMinor);
      move.tipsMinor += sign * share.tipMinor;
    }
  }
  return [...moves.values()]
    .filter((move) => move.openPayments !== 0 || sums.some((sum) => move[sum] !== 0n))
    .map((move) => ({ ...move, ...bounds?.get(move.appointmentId) }));
}

const sums = ['reservedMinor', 'capturedMinor', 'tipsMinor'] as const;

/** A move of nothing yet. */
export function emptyMove(appointmentId: string, currency: string) {
  const none = { openPayments: 0, reservedMinor: 0n, capturedMinor: 0n, tipsMinor: 0n };
  return { kind: 'moveLedger' as const, appointmentId, ...none, currency };
}

/**
 * What the visits and barbers of a shared payment gain when it is captured, or lose when the capture is taken back.
 * The statement has the whole amount for the barber who opened it, so the entries of that barber are negative.
 */
function captureEntries(before: Payment, after: Payment, correctedAt?: EpochMs): readonly Change[] {
  if ((before.state === 'captured') === (after.state === 'captured')) return [];
  const whole = [ownShare(after)];
  const isTaken = after.state === 'captured';
  const [from, to] = isTaken ? [whole, sharesOf(after)] : [sharesOf(after), whole];
  const at = correctedAt ?? after.capturedAt ?? after.updatedAt;
  return shareEntries(
    after,
    { actId: `${after.id}.${after.version}`, kind: 'payment', at },
    from,
    to,
  );
}

/** A charge that took no money frees its slot. One that was captured after all takes it again. */
function slotChanges(before: Payment, after: Payment): readonly Change[] {
  if (before.state === after.state) return [];
  if (after.state === 'canceled') return slotChange(after, 'free');
  return isFinal(before) ? slotChange(after, 'keep') : [];
}

/**
 * The moves of a charge's slot; none for a payment whose card is present. It is given up wherever it is: what was
 * refunded before a deposit moved stays behind, and the slot does not.
 */
export function slotChange(
  payment: Payment,
  move: ChangeOf<'moveSlot'>['move'],
): readonly Change[] {
  if (isContactless(payment)) return [];
  const { id: chargeId } = payment;
  const ids = slotIdsOf(payment).slice(0, move === 'free' ? undefined : 1);
  return ids.map((appointmentId) => ({ kind: 'moveSlot', appointmentId, chargeId, move }));
}

/** The ledgers whose slot a charge may hold. It takes the first: its own, if a part is there. */
export function slotIdsOf(payment: Payment): readonly string[] {
  const { appointment, shares = [] } = payment;
  const ids = new Set(shares.map(({ appointmentId }) => appointmentId));
  const isHere = ids.delete(appointment.id) || ids.size === 0;
  return isHere ? [ledgerIdOf(payment), ...ids] : [...ids];
}

/** The review entry for a change of a payment, written with it. */
export function reviewChanges(before: Payment, after: Payment, at: EpochMs): readonly Change[] {
  if (before.review === after.review || after.review === undefined) return [];
  const { id, account, reference, review: reason, version } = after;
  const review: Review = {
    id: reviewId(at, id, version),
    version: 1,
    reason,
    account,
    paymentId: id,
    ...(reference !== undefined && { reference }),
    openedAt: at,
  };
  return openReview(review);
}

/** The event of the state that a payment has now. */
export function presentEvent(payment: Payment): DomainEvent {
  const { state, version, capturedMinor } = payment;
  // Where it is canceled now, only a capture that a person's word had recorded leaves an amount behind (D201).
  const before: Payment = capturedMinor === undefined ? payment : { ...payment, state: 'captured' };
  return eventOf(before, payment, state, version, capturedMinor ?? payment.amountMinor).event;
}

/** The event for a new state. A capture carries the captured amount. */
function eventOf(
  before: Payment,
  payment: Payment,
  state: PaymentState,
  version: number,
  capturedMinor: bigint,
): ChangeOf<'appendEvent'> {
  const amountMinor = state === 'captured' ? capturedMinor : payment.amountMinor;
  const event: DomainEvent = {
    subject: payment.id,
    version,
    type: `contactlessPayment.${state}`,
    occurredAt: payment.updatedAt,
    data: {
      contactlessPaymentId: payment.id,
      appointmentId: payment.appointment.id,
      businessId: payment.businessId,
      barberId: payment.appointment.barber.id,
      amount: formatMoney(amountMinor),
      ...tipMember(tipIn(payment, amountMinor)),
      currency: payment.currency,
      state,
      ...(isRevoked(before, payment) && { corrects: 'captured' as const }),
      ...chargeData(payment, state),
      ...(payment.shares !== undefined && { shares: sharesOf(payment).map(toldShare) }),
      ...actIn(payment.timeline, ({ what }) => acts[state]?.includes(what) === true),
    },
  };
  return { kind: 'appendEvent', event };
}

/** What somebody did, by the line of the timeline, before a payment came to a state. */
const acts: Partial<Readonly<Record<PaymentState, readonly string[]>>> = {
  created: ['opening', 'charging'],
  captured: ['capturing', 'charging'],
  canceled: ['canceling'],
};

/** Who did it, as an event says it: by the latest such line. */
export function actIn(
  timeline: Payment['timeline'],
  isAct: (entry: TimelineEntry) => boolean,
): { readonly by?: EventActor } {
  return byMember(timeline.findLast(isAct) ?? {});
}

/** The members that the event of a charge has in addition. */
function chargeData(
  payment: Payment,
  state: PaymentState,
): Pick<PaymentStateEventData, 'purpose' | 'refusal'> {
  const { charge } = payment;
  if (charge === undefined) return {};
  const refusal = state === 'canceled' ? chargeRefusalOf(payment) : undefined;
  return { purpose: charge.purpose, ...(refusal !== undefined && { refusal }) };
}

/** Makes the event of a change, once the payment gives it a version. */
export type EventMaker = (
  frame: Pick<RefundEvent, 'subject' | 'version' | 'occurredAt'>,
  about: RefundedPayment,
  timeline: Payment['timeline'],
) => RefundEvent | DisputeEvent | ShareEvent;
type RefundedPayment = Pick<
  RefundEvent['data'],
  'contactlessPaymentId' | 'appointmentId' | 'businessId' | 'purpose'
>;

/** What an event of a refund or dispute says of its payment. */
export function aboutOf({ id, appointment, businessId, charge }: Payment): RefundedPayment {
  return {
    contactlessPaymentId: id,
    appointmentId: appointment.id,
    businessId,
    ...(charge !== undefined && { purpose: charge.purpose }),
  };
}

/**
 * The payment after a change of its refunds, disputes or keys. Each such change raises the payment's
 * version. A refund is reserved at the version that its amount was decided by, so a refund recorded
 * since makes the commit fail.
 * @param makers make the events for the host, in order.
 * @param entry the line of the timeline; by default the events.
 * @param by who does it, if somebody does.
 */
export function touchPayment(
  ports: Pick<Ports, 'home'>,
  payment: Payment,
  at: EpochMs,
  cause: string,
  makers: readonly EventMaker[],
  entry?: string,
  by: ByActor = {},
): { readonly after: Payment; readonly changes: readonly Change[] } {
  const about = aboutOf(payment);
  const next = versionAfter(ports, payment.version);
  const events = makers.map((make, index) =>
    make({ subject: payment.id, version: next + index, occurredAt: at }, about, payment.timeline),
  );
  const states = events.map(({ type }) => type.replace('contactlessPayment.', ''));
  const after = {
    ...payment,
    version: next + Math.max(1, events.length) - 1,
    timeline: (entry === undefined ? states : [entry]).reduce(
      (timeline, what) => noted(timeline, { at, what, cause, ...by }),
      payment.timeline,
    ),
  };
  return {
    after,
    changes: [
      { kind: 'updatePayment', payment: after, expectedVersion: payment.version },
      ...events.map((event): Change => ({ kind: 'appendEvent', event })),
    ],
  };
}

// Writes what the processor's books show of a payment. They may show a capture that this service never
// sent: other software captured it, so nobody has compared it with the amount due.

/** Writes the processor's entry of a payment. */
export function writeSeen(
  ports: Ports,
  payment: Payment,
  seen: ProcessorPayment,
  cause: string,
  alongside: readonly Change[] = [],
): Written<Payment> {
  const follow = (stored: Payment) =>
    followBooks(stored, seen, ports.clock.now(), cause, payment.state);
  return writeBooks(ports, payment, follow, alongside);
}

/** Writes a step of the processor's books. `follow` must be right from any state of the payment. */
export async function writeBooks(
  ports: Ports,
  payment: Payment,
  follow: (stored: Payment) => BooksStep,
  alongside: readonly Change[] = [],
): Written<Payment> {
  let last: ComparedStep | undefined;
  const decide = async (stored: Payment) => {
    const compared = await compareForeign(ports, stored, follow(stored));
    last = compared.unwrapOr(undefined);
    return compared;
  };
  const written = await writeChanges(ports, payment, decide, alongside);
  // Stryker disable next-line OptionalChaining: what was written was compared.
  return written.isOk() && last?.isForeign === true
    ? ok(await compareAgain(ports, written.value))
    : written;
}

export interface ComparedStep extends PaymentChanges {
  /** It holds a capture of other software that the amount due covers: compare it once more. */
  readonly isForeign: boolean;
}

/**
 * The changes of a step. A capture of other software is compared with the amount due: it is marked for
 * review (D43, D76), or its write is bounded, because a capture of ours may be reserved meanwhile. A capture
 * of ours has reserved its amount, and was compared before it was sent.
 */
export async function compareForeign(
  ports: Ports,
  before: Payment,
  followed: BooksStep,
): Promise<Result<ComparedStep, StoreUnavailable>> {
  if (followed.capturedMinor === undefined || before.reserved) {
    return ok({ ...changesOf(ports, before, followed), isForeign: false });
  }
  const dated = await resultOf(onOpenDay(ports, before, followed));
  if (dated.isErr()) return err(dated.error);
  const step = dated.value;
  const { payment } = step;
  const dues = await readDues(ports, payment);
  return dues.map((read) => {
    const { appointment, ledger } = read;
    // Reservations count, because their captures may have been sent.
    const shared = owedByVisit(sharesOf(payment));
    const owedMinor = shared.get(payment.appointment.id) ?? 0n;
    const moved = { ...ledger, capturedMinor: ledger.capturedMinor + owedMinor };
    const others = read.others.map((other) => {
      const { capturedMinor } = other.ledger;
      const sharedMinor = shared.get(other.appointmentId) ?? 0n;
      return { ...other, ledger: { ...other.ledger, capturedMinor: capturedMinor + sharedMinor } };
    });
    if (
      // Stryker disable next-line ConditionalExpression: a visit that is gone is undue.
      appointment !== undefined &&
      undueVisit(payment, { ...read, ledger: moved, others }) === undefined
    ) {
      const dues = new Map<string, bigint>();
      // A tip alone takes no room, also where less is due by now (D48).
      if (owedMinor > 0n) dues.set(ledgerIdOf(payment), dueMinorFor(payment, appointment));
      for (const { appointment: visit } of others) {
        // Stryker disable next-line ConditionalExpression: a visit that is gone is undue.
        if (visit !== undefined) dues.set(visit.id, visit.amountDueMinor);
      }
      return { ...changesOf(ports, before, step, boundsOf(dues)), isForeign: true };
    }
    const marked = reviewedNow(payment, 'capturedBeyondDue', payment.updatedAt);
    return { ...changesOf(ports, before, { ...step, payment: marked }), isForeign: false };
  });
}

/**
 * A capture that a person has denied joins no day that was closed without it: its `capturedAt` moves to an open one.
 */
async function* onOpenDay(
  ports: Ports,
  before: Payment,
  step: BooksStep,
): Steps<BooksStep, StoreUnavailable> {
  const { capturedAt } = step.payment;
  const isNew = before.capturedAt === undefined && capturedAt !== undefined;
  if (!isNew || endedByWordAt(before) === undefined) return step;
  const at = yield* timeOfDenied(ports, before, 'payment', capturedAt);
  return { ...step, payment: { ...step.payment, capturedAt: at } };
}

/**
 * Compares a capture of other software once more after it was written, because the host may have lowered
 * the amount due since the first comparison. Either this read sees the lowered amount, or the host's read
 * of the ledger sees the capture (D13). A failure is reported to the observer.
 */
export async function compareAgain(ports: Ports, payment: Payment): Promise<Payment> {
  let current = payment;
  for (let tries = 1; tries <= maxTries; tries += 1) {
    const dues = valueOrReport(ports, 'review', await readDues(ports, current));
    if (dues === undefined || undueVisit(current, dues) === undefined) return current;
    const at = ports.clock.now();
    const marked = reviewedNow(current, 'capturedBeyondDue', at);
    if (marked === current) return current;
    const { after, changes } = changesOf(ports, current, {
      payment: marked,
      passed: [],
      reviewedAt: at,
    });
    const ended = await resultOf(endUnsettled(ports, current, after));
    const written = ended.isErr() ? ended : await commit(ports, [...changes, ...ended.value]);
    if (written.isOk()) return after;
    const stored = await ports.store.payments.get(payment.id);
    current = valueOrReport(ports, 'review', stored) ?? current;
  }
  return current;
}
