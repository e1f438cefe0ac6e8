import type { ShareEvent } from '../event/event.ts';
import { actorOf, byMember, commit } from '../frame/commit.ts';
import { claimEndedKey, keyUse, lookUpKey } from '../frame/idempotency.ts';
import { type ErrorOfSteps, operation } from '../frame/operation.ts';
import { type Run, storeRefusal, withoutDeadline } from '../frame/perform.ts';
import type { ByActor } from '../frame/record.ts';
import { type Appointment, barberName, remainingMinor } from '../host/host.ts';
import { releaseOthers } from '../payment/cancel.ts';
import { claimWithdrawn } from '../payment/carry.ts';
import { reservedElsewhere } from '../payment/faults.ts';
import {
  details,
  findAppointmentForStaff,
  findPaymentForManager,
  readAppointment,
  requireSomeVisit,
  requireUnused,
} from '../payment/find.ts';
import {
  ledgerIdOf,
  maxListedPayments,
  type OpenedPayment,
  type Payment,
} from '../payment/payment.ts';
import { requireRestored } from '../payment/restored.ts';
import { type EventMaker, ledgerMoves, slotChange, touchPayment } from '../payment/write.ts';
import type { Ports } from '../ports/ports.ts';
import type { Change, StoreUnavailable } from '../ports/store.ts';
import { conflict, type Fault, fault, unfit } from '../problems/problem.ts';
import { notCapturedYet } from '../refund/refund-payment.ts';
import { readReturns } from '../refund/returns.ts';
import { timeOnOpenDay } from '../statement/open-day.ts';
import { orNothing, sumOf } from '../values/bounds.ts';
import { formatMoney, parseMoney } from '../values/money.ts';
import { err, ok, type Result, resultOf, type Steps } from '../values/result.ts';
import { shareEntries } from './entries.ts';
import {
  gains,
  isSameShare,
  joinShares,
  maxListedShares,
  maxSharings,
  type Part,
  type Share,
} from './share.ts';
import { leftToShares, sharesOf } from './shares-of.ts';
import {
  type SharePaymentInput,
  type SharingView,
  sharePaymentBody,
  shareShapes,
  sharingExample,
  sharingSchema,
  toldShare,
  type VisitSharesView,
  type VisitShareView,
  viewSharing,
  visitSharesSchema,
} from './wire.ts';

const shareProblems = [
  'badRequest',
  'forbidden',
  'notFound',
  'conflict',
  'unprocessableEntity',
] as const;
type ShareError = ErrorOfSteps<(typeof shareProblems)[number]>;

interface ShareInput {
  readonly contactlessPaymentId: string;
  readonly idempotencyKey: string;
  readonly body: SharePaymentInput;
}

export const sharePayment = {
  /**
   * Says whose a captured payment is from now on: a deposit follows its visit to a new id, a payment on the wrong
   * client's visit is moved, two barbers share a visit and its tip. The parts add up to what was captured and not
   * given back. One commit moves them between the visits' balances, all or none; a visit gets no more than it owes
   * unless `leavesExcess` says so. No money moves at the processor. For the payment's business or an administrator.
   *
   * Send the same `idempotencyKey` again after a lost response: it returns the same sharing.
   *
   * @example
   * const shared = await chairside.sharePayment(manager, {
   *   contactlessPaymentId: opened.id,
   *   idempotencyKey: crypto.randomUUID(),
   *   body: {
   *     shares: [
   *       { appointmentId: 'haircut', barberId: 'ada', amount: '31.00', tip: '6.00' },
   *       { appointmentId: 'haircut', barberId: 'ben', amount: '24.00', tip: '4.00' },
   *     ],
   *   },
   * });
   * if (shared.isErr()) console.log(shared.error.type);
   */
  sharePayment: operation({
    ids: ['contactlessPaymentId'],
    limit: 'writes',
    problems: shareProblems,
    group: 'Shares',
    summary: 'Says whose a captured payment is from now on',
    description:
      'The parts add up to what was captured and not given back. They move between the balances of the visits together, or not at all. The latest sharing counts. The same key returns the same sharing.',
    idempotencyKey: 'required',
    // The key is written together with the sharing.
    mayBeApplied: async () => true,
    body: { ...sharePaymentBody, required: true },
    output: sharingSchema,
    example: sharingExample,
    shapes: shareShapes,
  })(steps),
};

async function* steps(
  run: Run,
  { contactlessPaymentId, idempotencyKey, body }: ShareInput,
): Steps<SharingView, ShareError> {
  const { ports, auth, call } = run;
  if (ports.shares === undefined) {
    return yield* err(fault('forbidden', 'This service does not share payments: `shares` is off.'));
  }
  const payment = yield* findPaymentForManager(ports, auth, contactlessPaymentId);
  const use = keyUse(run, idempotencyKey, payment.id, body);
  const claim = yield* await lookUpKey(ports, call, use, ['unprocessableEntity']);
  if (claim !== undefined) {
    const known = yield* await ports.store.shares.get(claim.resourceId ?? '');
    if (known === undefined) return yield* err(claimWithdrawn);
    call.facts.replayed = true;
    return viewSharing(known);
  }
  const named = yield* await storeRefusal(run, use, namedParts(body));
  // A visit may have been paid since the backup, so that it owes less.
  yield* requireRestored(ports, payment.account);
  const { asked: meant, visits } = yield* readParts(ports, payment, named);
  const [returns, opened] = await Promise.all([
    resultOf(readReturns(ports, payment)),
    resultOf(timeOnOpenDay(ports, payment.businessId)),
  ]);
  const left = leftToShares(yield* returns);
  const asked = yield* decideAsked(payment, left, meant, named);
  yield* checkSharings(ports, payment);
  const before = sharesOf(payment);
  const after = decideShares(before, left, asked);
  const shared = { ...payment, shares: after };
  const moves = yield* moveLedgers(ports, payment, shared, visits, body.leavesExcess === true);

  const by = yield* await actorOf(ports);
  const at = yield* opened;
  const id = ports.ids.next('shr');
  const event = sharedEvent(payment, after, gains(before, after), by);
  const { note } = body;
  const act = { at, shares: after, note };
  const entries = shareEntries(
    payment,
    { actId: id, kind: 'payment', ...act, ...by },
    before,
    after,
  );
  // The payment's version is a condition: a refund, a dispute or another sharing changes what is left.
  const touched = touchPayment(ports, shared, at, 'share', [event], undefined, by);
  // What was refunded stays where it was, and holds no slot.
  const slotMoves = [
    ...slotChange(payment, 'free'),
    ...slotChange({ ...payment, shares: asked }, 'keep'),
  ];
  yield* await commit(ports, [
    claimEndedKey(ports, use, id),
    ...touched.changes,
    ...moves,
    ...slotMoves,
    ...entries,
  ]);
  for (const visit of visits.keys()) {
    ports.background(() => releaseOthers(withoutDeadline(ports), visit));
  }
  return viewSharing({ actId: id, paymentId: payment.id, currency: payment.currency, ...act });
}

/** A part that the request names. */
interface NamedPart {
  readonly appointmentId: string;
  readonly barberId: string | undefined;
  readonly amountMinor: bigint;
  /** `undefined` if the request names none. */
  readonly tipMinor: bigint | undefined;
  readonly pointer: string;
}

/** The parts of a request, in minor units. Each has an amount, and a tip within it. */
function namedParts({
  shares,
}: SharePaymentInput): Result<readonly NamedPart[], Fault<'unprocessableEntity'>> {
  const named: NamedPart[] = [];
  for (const [index, { appointmentId, barberId, amount, tip }] of shares.entries()) {
    const pointer = `/shares/${index}`;
    const amountMinor = parseMoney(amount).unwrapOr(0n);
    const tipMinor = parseMoney(tip ?? '0.00').unwrapOr(-1n);
    if (amountMinor <= 0n) {
      return err(
        unfit(`${pointer}/amount`, 'The amount must be above zero, with 15 digits at most.'),
      );
    }
    if (tipMinor < 0n || tipMinor > amountMinor) {
      return err(unfit(`${pointer}/tip`, 'The tip must be zero or more, and at most the amount.'));
    }
    const askedTip = tip === undefined ? undefined : tipMinor;
    named.push({ appointmentId, barberId, amountMinor, tipMinor: askedTip, pointer });
  }
  return ok(named);
}

/** Finds the visit and the barber of each part. Both belong to the payment's business. */
async function* readParts(
  ports: Ports,
  { businessId, appointment: paidAt }: OpenedPayment,
  named: readonly NamedPart[],
): Steps<AskedParts, Fault<'unprocessableEntity'> | StoreUnavailable> {
  const visits = new Map<string, Appointment>();
  const asked: Share[] = [];
  for (const { appointmentId, barberId, amountMinor, tipMinor = 0n, pointer } of named) {
    const known = visits.get(appointmentId);
    const visit = known ?? (yield* await readAppointment(ports, appointmentId));
    if (visit?.businessId !== businessId) {
      const detail = 'The business has no such appointment.';
      return yield* err(unfit(`${pointer}/appointmentId`, detail));
    }
    visits.set(appointmentId, visit);
    const id = barberId ?? visit.barber.id;
    const profile = [visit.barber, paidAt.barber].find((one) => one.id === id);
    // A barber of the visit or the payment may have left the shop since.
    if (profile === undefined) yield* requireBarberAt(ports, businessId, id, pointer);
    const share = {
      appointmentId,
      barberId: id,
      ...(profile !== undefined && { barberName: barberName(profile) }),
      amountMinor,
      tipMinor,
    };
    if (asked.some((one) => isSameShare(one, share))) {
      return yield* err(unfit(pointer, 'It names the same visit and barber as another part.'));
    }
    asked.push(share);
  }
  return { asked, visits };
}

interface AskedParts {
  readonly asked: readonly Share[];
  readonly visits: ReadonlyMap<string, Appointment>;
}

async function* requireBarberAt(
  { store }: Ports,
  businessId: string,
  id: string,
  pointer: string,
): Steps<void, Fault<'unprocessableEntity'> | StoreUnavailable> {
  const barber = yield* await store.barbers.get(id);
  if (barber?.businessId === businessId) return;
  return yield* err(unfit(`${pointer}/barberId`, 'The business has no such barber.'));
}

/** The parts add up to all that is left of a captured payment. */
function decideAsked(
  payment: OpenedPayment,
  left: readonly Share[],
  asked: readonly Share[],
  named: readonly NamedPart[],
): Result<readonly Share[], Fault<'conflict'>> {
  if (payment.state !== 'captured') return err(notCapturedYet());
  if (payment.charge?.purpose === 'noShow') {
    return err(conflict('feeNotShared', 'A fee for a missed visit stays with its visit.'));
  }
  const whole = sumOf(left);
  // Stryker disable next-line OptionalChaining: a request names one at least.
  const isAlone = named.length === 1 && named[0]?.tipMinor === undefined;
  const parts = isAlone ? asked.map((one) => ({ ...one, tipMinor: whole.tipMinor })) : asked;
  const sum = sumOf(parts);
  const isWhole = sum.amountMinor === whole.amountMinor && sum.tipMinor === whole.tipMinor;
  return isWhole ? ok(parts) : err(sharesDiffer(whole));
}

function sharesDiffer({ amountMinor, tipMinor }: ReturnType<typeof sumOf>): Fault<'conflict'> {
  const [shareable, shareableTip] = [formatMoney(amountMinor), formatMoney(tipMinor)];
  const tip = tipMinor > 0n ? `, ${shareableTip} of it as tip` : '';
  return conflict('sharesDiffer', `The parts must add up to ${shareable}${tip}.`, {
    shareable,
    ...(tipMinor > 0n && { shareableTip }),
  });
}

async function* checkSharings(
  { store }: Ports,
  { id }: OpenedPayment,
): Steps<void, Fault<'conflict'> | StoreUnavailable> {
  const entries = yield* await store.shares.listByPayment(id, maxListedShares);
  const acts = new Set(
    entries.filter(({ shares }) => shares !== undefined).map(({ actId }) => actId),
  );
  if (acts.size < maxSharings) return;
  const detail = `The payment was shared ${maxSharings} times already.`;
  return yield* err(conflict('tooManySharings', detail));
}

/** What is gone stays with whom it was; what is left goes to whom the request says. */
function decideShares(
  before: readonly Share[],
  left: readonly Share[],
  asked: readonly Share[],
): readonly Share[] {
  const gone = before.map((share, index) => {
    const { amountMinor = 0n, tipMinor = 0n } = left[index] ?? {};
    return {
      ...share,
      amountMinor: share.amountMinor - amountMinor,
      tipMinor: share.tipMinor - tipMinor,
    };
  });
  return joinShares([...gone, ...asked]);
}

/** Moves what visits gain or lose between their ledgers, each within what it owes. */
async function* moveLedgers(
  ports: Ports,
  payment: OpenedPayment,
  shared: OpenedPayment,
  visits: ReadonlyMap<string, Appointment>,
  leavesExcess: boolean,
): Steps<readonly Change[], Fault<'conflict'> | StoreUnavailable> {
  const { currency, businessId } = payment;
  const business = yield* await ports.store.businesses.get(businessId);
  const present = business?.processorAccount?.currency ?? currency;
  if (present !== currency) {
    return yield* err(conflict('currencyChanged', details.currencyChanged));
  }
  const moves: Change[] = [];
  for (const move of ledgerMoves(payment, shared)) {
    const { appointmentId, capturedMinor } = move;
    const visit = visits.get(appointmentId);
    const isBounded = capturedMinor > 0n && visit !== undefined;
    if (isBounded) yield* requireRoom(ports, payment, visit, capturedMinor, leavesExcess);
    const bound = isBounded && !leavesExcess ? { maxCommittedMinor: visit.amountDueMinor } : {};
    moves.push({ ...move, ...bound });
  }
  return moves;
}

/**
 * Refuses a visit that another customer has paid for another day, or that has no room, and says how much it has. The
 * commit compares once more.
 */
async function* requireRoom(
  ports: Ports,
  { id: paymentId, currency }: OpenedPayment,
  visit: Appointment,
  moreMinor: bigint,
  leavesExcess: boolean,
): Steps<void, Fault<'conflict'> | StoreUnavailable> {
  const { id: appointmentId } = visit;
  const ledger = yield* await ports.store.ledgers.get(appointmentId);
  yield* requireUnused(ports, visit, ledger, paymentId);
  const leftMinor = remainingMinor(visit, ledger, currency);
  if (leftMinor === undefined) {
    const about = { appointmentId };
    return yield* err(conflict('currencyChanged', details.currencyChanged, about));
  }
  if (leavesExcess || moreMinor <= leftMinor - ledger.reservedMinor) return;
  if (moreMinor <= leftMinor) {
    const { attributes, ...reserved } = reservedElsewhere();
    return yield* err({ ...reserved, attributes: { ...attributes, appointmentId } });
  }
  const remaining = formatMoney(orNothing(leftMinor));
  const detail = `The visit ${appointmentId} owes only ${remaining} more.`;
  return yield* err(conflict('exceedsRemaining', detail, { appointmentId, remaining }));
}

/** The event that says whose a payment is now, and what each visit and barber gained or lost. */
export function sharedEvent(
  { currency }: Payment,
  after: readonly Share[],
  moves: readonly Part[],
  by: ByActor,
): EventMaker {
  return (frame, about): ShareEvent => ({
    ...frame,
    type: 'contactlessPayment.shared',
    data: {
      ...about,
      currency,
      shares: after.map(toldShare),
      moves: moves.map(toldShare),
      ...byMember(by),
    },
  });
}

/** The captured payments that have a share for a visit, whichever visit they were opened for. */
export async function* readPaymentsOf(
  { store }: Pick<Ports, 'store'>,
  appointmentId: string,
): Steps<readonly Payment[], StoreUnavailable> {
  const opened = yield* await store.payments.listByAppointment(appointmentId, maxListedPayments);
  const entries = yield* await store.shares.listByAppointment(appointmentId, maxListedShares);
  const payments = new Map(opened.map((payment) => [payment.id, payment]));
  for (const { paymentId } of entries) {
    if (payments.has(paymentId)) continue;
    const payment = yield* await store.payments.get(paymentId);
    if (payment !== undefined) payments.set(paymentId, payment);
  }
  return [...payments.values()].filter(
    (payment) =>
      payment.state === 'captured' &&
      (payment.shares === undefined
        ? ledgerIdOf(payment) === appointmentId
        : payment.shares.some((share) => share.appointmentId === appointmentId)),
  );
}

export const shareReads = {
  /**
   * Lists what a visit has of the captured payments: of its own, and of those that were opened for another visit.
   * For the visit's barber, its business and administrators.
   *
   * @example
   * const listed = await chairside.listShares(manager, { appointmentId: 'haircut' });
   * if (listed.isOk()) console.log(listed.value.items.map(({ amount, barberId }) => [barberId, amount]));
   */
  listShares: operation({
    ids: ['appointmentId'],
    limit: 'reads',
    problems: ['forbidden', 'notFound'],
    group: 'Shares',
    summary: 'Lists what a visit has of the captured payments',
    description:
      'One entry for each payment and barber, also of payments that were opened for another visit.',
    output: visitSharesSchema,
    shapes: shareShapes,
  })<VisitSharesView>(async function* ({ ports, auth }, { appointmentId }) {
    yield* requireSomeVisit(auth);
    const appointment = yield* await findAppointmentForStaff(ports, auth, appointmentId);
    const { businessId } = appointment;
    const items: VisitShareView[] = [];
    for (const payment of yield* readPaymentsOf(ports, appointment.id)) {
      if (payment.businessId !== businessId) continue;
      const left = leftToShares(yield* readReturns(ports, payment));
      for (const [index, share] of sharesOf(payment).entries()) {
        if (share.appointmentId !== appointment.id) continue;
        const { amountMinor = 0n, tipMinor = 0n } = left[index] ?? {};
        items.push({
          contactlessPaymentId: payment.id,
          paidAt: payment.appointment.id,
          barberId: share.barberId,
          amount: formatMoney(share.amountMinor),
          ...(share.tipMinor > 0n && { tip: formatMoney(share.tipMinor) }),
          left: formatMoney(amountMinor),
          ...(tipMinor > 0n && { leftTip: formatMoney(tipMinor) }),
          currency: payment.currency,
        });
      }
    }
    return { items, count: items.length };
  }),
};
