import { type Found, find, notFound } from '../frame/access.ts';
import { actorOf, byMember, commit } from '../frame/commit.ts';
import { claimEndedKey, isClaimFor, judgeKey, keyUse } from '../frame/idempotency.ts';
import { type ErrorOfSteps, operation } from '../frame/operation.ts';
import { type Run, storeRefusal, withoutDeadline } from '../frame/perform.ts';
import {
  type Appointment,
  type Business,
  barberName,
  type Ledger,
  leftMinorAt,
  paymentAccount,
  remainingMinor,
} from '../host/host.ts';
import { releaseOthers } from '../payment/cancel.ts';
import { claimWithdrawn } from '../payment/carry.ts';
import { notSetUp, reservedElsewhere } from '../payment/faults.ts';
import {
  dayOf,
  details,
  findAppointmentForStaff,
  isStaffOf,
  notYourVisit,
  requestedMinor,
  requireSomeVisit,
  requireUnused,
} from '../payment/find.ts';
import { requireRestored } from '../payment/restored.ts';
import { tipMember } from '../payment/tip.ts';
import { emptyMove } from '../payment/write.ts';
import type { AuthContext, Ports } from '../ports/ports.ts';
import type { Change, ChangeOf, StoreUnavailable } from '../ports/store.ts';
import { conflict, type Fault, type FaultOf, fault } from '../problems/problem.ts';
import { toldShare } from '../share/wire.ts';
import { timeOnOpenDay } from '../statement/open-day.ts';
import { orNothing } from '../values/bounds.ts';
import { formatMoney } from '../values/money.ts';
import { err, ok, type Result, resultOf, type Steps } from '../values/result.ts';
import { canBeId } from '../values/text.ts';
import { isRecorded, maxListedTenders, type RecordedTender, type Tender } from './tender.ts';
import {
  type RecordTenderBody,
  recordedExample,
  recordTenderBody,
  type TendersView,
  type TenderView,
  tenderSchema,
  tenderShapes,
  tendersSchema,
  viewRecorded,
  viewReturn,
  viewTender,
} from './wire.ts';

interface RecordInput {
  readonly appointmentId: string;
  readonly idempotencyKey: string;
  readonly body: RecordTenderBody;
}

const recordProblems = [
  'badRequest',
  'forbidden',
  'notFound',
  'conflict',
  'appointmentAlreadyPaid',
  'unprocessableEntity',
  'paymentProviderNotSetup',
] as const;
type RecordError = ErrorOfSteps<(typeof recordProblems)[number]>;

export const recordTender = {
  /**
   * Records what was paid for an appointment without a card: cash, a voucher, a bank transfer. It counts towards
   * the amount due like a captured payment, so never lower the amount due for it. For the appointment's barber,
   * its business and administrators.
   *
   * More than the appointment still owes is a 409 `conflict` with the reason `exceedsRemaining` and the amount
   * that remains. Send the same `idempotencyKey` again after a lost response: it returns the same tender.
   *
   * @example
   * const paid = await chairside.recordTender(barber, {
   *   appointmentId: 'haircut',
   *   idempotencyKey: crypto.randomUUID(),
   *   body: { kind: 'cash', amount: '20.00' },
   * });
   * if (paid.isOk()) console.log(paid.value.id, paid.value.amount); // tnd_01h…, 20.00
   */
  recordTender: operation({
    ids: ['appointmentId'],
    limit: 'writes',
    problems: recordProblems,
    group: 'Tenders',
    summary: 'Records what was paid without a card',
    description:
      'The amount counts towards what the appointment owes, so that a card payment without an `amount` then collects the rest. It is at most what remains while no card payment is being captured. The same key returns the same tender.',
    idempotencyKey: 'required',
    // The key is written together with the tender.
    mayBeApplied: async () => true,
    body: { ...recordTenderBody, required: true },
    output: tenderSchema,
    example: recordedExample,
    shapes: tenderShapes,
  })(steps),
};

async function* steps(
  run: Run,
  { appointmentId, idempotencyKey, body }: RecordInput,
): Steps<TenderView, RecordError> {
  const { ports, auth, call } = run;
  yield* requireSomeVisit(auth);
  if (!canBeId(appointmentId)) return yield* err(notFound('appointment'));
  const use = keyUse(run, idempotencyKey, appointmentId, body);
  const { keys, ledgers, tenders } = ports.store;
  const [key, read, found] = await Promise.all([
    keys.get(use.subject, use.key),
    ledgers.get(appointmentId),
    findAppointmentForStaff(ports, auth, appointmentId),
  ]);
  const known = yield* key;
  if (isClaimFor(use, known)) {
    // The tender decides access, because its appointment may have moved since (D11, D38).
    const tender = yield* await tenders.get(known.resourceId);
    if (tender === undefined) return yield* err(claimWithdrawn);
    yield* requireTenderOf(ports, auth, tender);
    call.facts.replayed = true;
    return viewRecorded(tender);
  }
  const appointment = yield* found;
  yield* judgeKey(call, use, known, ['unprocessableEntity']);
  const amountMinor = (yield* await storeRefusal(run, use, requestedMinor(body.amount))) ?? 0n;
  const ledger = yield* read;
  const business = yield* await ports.store.businesses.get(appointment.businessId);
  const account = paymentAccount(business);
  if (account !== undefined) yield* requireRestored(ports, account.id);
  yield* requireUnused(ports, appointment, ledger);
  const { currency } = yield* decideTender(appointment, ledger, business, amountMinor);
  const { kind, note } = body;
  const [acting, opened] = await Promise.all([
    actorOf(ports),
    resultOf(timeOnOpenDay(ports, appointment.businessId, business)),
  ]);
  const by = yield* acting;
  const visitDay = dayOf(appointment);
  const tender: RecordedTender = {
    id: ports.ids.next('tnd'),
    version: 1,
    act: 'record',
    appointmentId: appointment.id,
    ...(appointment.customerId !== undefined && { customerId: appointment.customerId }),
    ...(visitDay !== undefined && { visitDay }),
    businessId: appointment.businessId,
    barberId: appointment.barber.id,
    barberName: barberName(appointment.barber),
    kind,
    currency,
    amountMinor,
    ...(note !== undefined && { note }),
    ...by,
    at: yield* opened,
    returnedMinor: 0n,
  };
  yield* await commit(ports, [
    claimEndedKey(ports, use, tender.id),
    { kind: 'insertTender', tender },
    // Its bound is compared with captures, reservations and other tenders as they are by then (D13).
    countTender(tender, amountMinor, appointment.amountDueMinor),
    tenderEvent(tender, tender.id, 1),
  ]);
  ports.background(() => releaseOthers(withoutDeadline(ports), appointment.id));
  return viewRecorded(tender);
}

/**
 * Decides whether an amount still fits what the appointment owes, and in which currency it is. What
 * card payments have reserved may be captured, so it is not free.
 */
export function decideTender(
  appointment: Pick<Appointment, 'amountDueMinor'>,
  ledger: Ledger,
  business: Business | undefined,
  amountMinor: bigint,
): Result<
  { readonly currency: string },
  FaultOf<'appointmentAlreadyPaid' | 'conflict' | 'paymentProviderNotSetup'>
> {
  const currency = paymentAccount(business)?.currency;
  if (currency === undefined) return err(notSetUp());
  const leftMinor = remainingMinor(appointment, ledger, currency);
  if (leftMinor === undefined) return err(conflict('currencyChanged', details.currencyChanged));
  if (leftMinor <= 0n) {
    return err(fault('appointmentAlreadyPaid', 'The appointment has no remaining balance.'));
  }
  if (amountMinor > leftMinor) return err(exceedsRemaining(leftMinor));
  const freeMinor = leftMinor - ledger.reservedMinor;
  return amountMinor > freeMinor ? err(reservedNow(freeMinor)) : ok({ currency });
}

function exceedsRemaining(leftMinor: bigint): Fault<'conflict'> {
  const remaining = formatMoney(leftMinor);
  const detail = `The appointment owes only ${remaining} more.`;
  return conflict('exceedsRemaining', detail, { remaining });
}

/** A card payment is being captured: how much it takes is known soon. */
function reservedNow(freeMinor: bigint): Fault<'conflict'> {
  const { attributes, ...reserved } = reservedElsewhere();
  const remaining = formatMoney(orNothing(freeMinor));
  return { ...reserved, attributes: { ...attributes, remaining } };
}

/**
 * Counts an amount in the appointment's ledger.
 * @param maxCommittedMinor what is due: a condition of the commit. Without it, the amount is negative.
 */
export function countTender(
  { appointmentId, currency }: Tender,
  tenderedMinor: bigint,
  maxCommittedMinor?: bigint,
): Change {
  return {
    ...emptyMove(appointmentId, currency),
    tenderedMinor,
    ...(maxCommittedMinor !== undefined && { maxCommittedMinor }),
  };
}

/** The event of an act, in the order of the tender's, or of the card payment's, versions. */
export function tenderEvent(
  tender: Tender,
  subject: string,
  version: number,
): ChangeOf<'appendEvent'> {
  const { id, act, tenderId, paymentId, appointmentId, businessId, barberId, parts } = tender;
  const isReturn = act === 'return';
  return {
    kind: 'appendEvent',
    event: {
      subject,
      version,
      type: `tender.${pastOf[act]}`,
      occurredAt: tender.at,
      data: {
        ...(paymentId === undefined
          ? { tenderId: tenderId ?? id }
          : { contactlessPaymentId: paymentId }),
        ...(isReturn && { returnId: id }),
        appointmentId,
        businessId,
        barberId,
        kind: tender.kind,
        amount: formatMoney(tender.amountMinor),
        ...tipMember(tender.tipMinor),
        currency: tender.currency,
        ...(parts !== undefined && { shares: parts.map(toldShare) }),
        ...byMember(tender),
      },
    },
  };
}

const pastOf = { record: 'recorded', return: 'returned', void: 'voided' } as const;

// Tenders, as operations look them up for a caller: the appointment's barber, its business or an administrator.

export function findRecordedTender(ports: Ports, id: string): Found<RecordedTender> {
  return find('tender', id, ports.store.tenders, isRecorded);
}

/**
 * Requires the tender's barber or business. The appointment's present barber is allowed too, while the
 * appointment is at that business.
 */
export async function* requireTenderOf(
  ports: Ports,
  auth: AuthContext,
  tender: Tender,
): Steps<void, FaultOf<'forbidden' | 'notFound'> | StoreUnavailable> {
  if (!(yield* await isStaffOf(ports, auth, tender))) yield* err(notYourVisit());
}

export const tenders = {
  /**
   * Lists what was paid for an appointment without a card, and what it still owes. Tenders of another business
   * stay with that business. For the appointment's barber, its business and administrators.
   *
   * @example
   * const listed = await chairside.listTenders(barber, { appointmentId: 'haircut' });
   * if (listed.isOk()) console.log(listed.value.remaining); // 25.00
   */
  listTenders: operation({
    ids: ['appointmentId'],
    limit: 'reads',
    problems: ['forbidden', 'notFound'],
    group: 'Tenders',
    summary: 'Lists what was paid without a card, and what remains',
    description:
      'Returns the tenders of the appointment, voided ones included, what was given back of them, and what the appointment still owes after cards and tenders.',
    output: tendersSchema,
    shapes: tenderShapes,
  })<TendersView>(async function* ({ ports, auth }, { appointmentId }) {
    yield* requireSomeVisit(auth);
    const appointment = yield* await findAppointmentForStaff(ports, auth, appointmentId);
    const { businessId } = appointment;
    const { businesses, ledgers } = ports.store;
    const [listed, ledger, business] = await Promise.all([
      ports.store.tenders.listByAppointment(appointment.id, maxListedTenders),
      ledgers.get(appointment.id),
      businesses.get(businessId),
    ]);
    const own = (yield* listed).filter((one) => one.businessId === businessId);
    const taken = yield* ledger;
    const { tenderedMinor = 0n, reservedMinor } = taken;
    const leftMinor = leftMinorAt(yield* business, appointment, taken);
    const items = own.filter(isRecorded).map(viewTender);
    return {
      items,
      count: items.length,
      returns: own.filter(({ act }) => act === 'return').map(viewReturn),
      tendered: formatMoney(tenderedMinor),
      reserved: formatMoney(reservedMinor),
      ...(leftMinor !== undefined && { remaining: formatMoney(orNothing(leftMinor)) }),
    };
  }),
};
