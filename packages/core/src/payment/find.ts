import * as v from 'valibot';
import {
  checkRow,
  type Found,
  find,
  managesShop,
  managesShops,
  notFound,
  onlyFor,
  orAbsent,
  requireOwn,
} from '../frame/access.ts';
import { report, reportThrown } from '../frame/commit.ts';
import { customerNow } from '../frame/facts.ts';
import type { MayBeApplied } from '../frame/idempotency.ts';
import { parseInput } from '../frame/operation.ts';
import {
  type Appointment,
  type AppointmentReference,
  type BarberReference,
  type Business,
  type Ledger,
  leftMinorAt,
  profileOf,
  tidyAppointment,
  tidyBusiness,
} from '../host/host.ts';
import {
  type AppointmentLedger,
  appointmentRecordSchema,
  barberReferenceSchema,
  businessTermsSchema,
  viewLedger,
} from '../host/wire.ts';
import type { AuthContext, Ports } from '../ports/ports.ts';
import type { StoreUnavailable } from '../ports/store.ts';
import { conflict, type Fault, type FaultOf, unfit } from '../problems/problem.ts';
import { owedByVisit } from '../share/share.ts';
import { sharesOf } from '../share/shares-of.ts';
import { isRecorded, maxListedTenders } from '../tender/tender.ts';
import { Money, parseMoney, sumIn } from '../values/money.ts';
import { err, ok, type Result, type Steps } from '../values/result.ts';
import { canBeId } from '../values/text.ts';
import { formatTimestamp, isTimeZone, localTimes, parseTime } from '../values/time.ts';
import type { Dues, OtherDues, Released } from './dues.ts';
import { running } from './faults.ts';
import {
  type CancelCause,
  isContactless,
  isOpened,
  ledgerIdOf,
  maxListedPayments,
  type OpenedPayment,
  type Payment,
} from './payment.ts';
import { checkRestored } from './restored.ts';

// Appointments and payments, as operations look them up for a caller, and what they owe.

/**
 * Finds an appointment by its only id, because the ledger counts payments under that id (D13). A
 * host's database may know the appointment by a second id, which must not open it (D74).
 */
export async function findAppointment(
  ports: Ports,
  id: string,
  check: AppointmentCheck = checkVisit,
): Found<Appointment> {
  if (!canBeId(id)) return err(notFound('appointment'));
  const read = await ports.store.appointments.get(id);
  const checked = checkRow(ports, 'appointment', id, read, check);
  return checked.andThen((found) => (found?.id === id ? ok(found) : err(notFound('appointment'))));
}

/** Returns the appointment as it is used from then on, or why it cannot be used. */
type AppointmentCheck = (
  found: Appointment,
  tellHost: (why: string) => void,
) => Result<Appointment, string>;

/** Checks what money depends on. A payment that is open already has its copy of the rest. */
function checkVisit(found: Appointment): Result<Appointment, string> {
  const visit = tidyAppointment(found);
  const { businessId, amountDueMinor, noShowFeeMinor = 0n } = visit;
  if (typeof businessId !== 'string') return err('/businessId must be a string.');
  if (typeof amountDueMinor !== 'bigint') return err('/amountDueMinor must be a bigint.');
  const isFee = typeof noShowFeeMinor === 'bigint';
  return isFee ? ok(visit) : err('/noShowFeeMinor must be a bigint.');
}

/** Checks the barber too, who decides access and whose name a tender keeps. */
function checkServed(found: Appointment): Result<Appointment, string> {
  return checkVisit(found).andThen((visit) => {
    const barber = visit.barber && presentable(visit.barber, []);
    const { id, givenName, surname } = barber ?? {};
    const isNamed = [id, givenName, surname].every((one) => typeof one === 'string');
    return isNamed ? ok({ ...visit, barber }) : err('/barber must have an id and a name.');
  });
}

/**
 * Checks whether a payment can be opened for an appointment of a host's own store, as `putAppointment` does. What only
 * decorates the payment is left out if it is malformed, because it must not stop a shop.
 */
export function checkPayable(
  found: Appointment,
  tellHost: (why: string) => void,
): Result<Appointment, string> {
  const isZone = found.timeZone == null || isTimeZone(found.timeZone);
  if (isZone && v.is(appointmentRecordSchema, found)) return ok(found);
  const tidy = tidyAppointment(found);
  const { timeZone: _malformed, ...visit } = tidy;
  const leftOut: string[] = [];
  if (!isZone) leftOut.push('/timeZone');
  const at = parseTime(visit.occursOn);
  const payable: Appointment = {
    ...(isZone ? tidy : visit),
    ...(at !== undefined && { occursOn: formatTimestamp(at) }),
    barber: visit.barber && presentable(visit.barber, leftOut),
  };
  const why = whyMalformed(appointmentRecordSchema, payable);
  if (why !== undefined) return err(why);
  if (leftOut.length > 0) tellHost(`malformed, so no payment shows it: ${leftOut.join(', ')}`);
  return ok(payable);
}

const decoration = [
  'preferredName',
  'biography',
  'spokenLanguages',
  'experience',
  'instagram',
  'urlSlug',
  'profileImage_URL',
] as const;

/** The profile without malformed decoration, whose pointers are added to `leftOut`. */
function presentable(barber: BarberReference, leftOut: string[]): BarberReference {
  let profile = profileOf(barber);
  for (const name of decoration) {
    const { [name]: shown, ...others } = profile;
    if (shown === undefined || v.is(barberReferenceSchema.entries[name], shown)) continue;
    leftOut.push(`/barber/${name}`);
    profile = others;
  }
  return profile;
}

/** The business of a new payment, if the payment can be opened at its account. */
export function checkBusiness(
  ports: Ports,
  id: string,
  read: Result<Business | undefined, StoreUnavailable>,
): Result<Business | undefined, StoreUnavailable> {
  return checkRow(ports, 'business', id, read, (found) => {
    const business = tidyBusiness(found);
    const why = whyMalformed(businessTermsSchema, business);
    return why === undefined ? ok(business) : err(why);
  });
}

function whyMalformed(schema: v.GenericSchema, row: object): string | undefined {
  const parsed = parseInput(schema, { ...row });
  return parsed.isOk() ? undefined : parsed.error.detail;
}

type MaybeRead<T> = PromiseLike<Result<T | undefined, StoreUnavailable>>;

/** The appointment; `undefined` if the host no longer has it. */
export function readAppointment(ports: Ports, id: string): MaybeRead<Appointment> {
  return orUnreadable(ports, id, async () => orAbsent(await findAppointment(ports, id)));
}

/** The business; `undefined` if the host no longer has it. */
export function readBusiness(ports: Ports, id: string): MaybeRead<Business> {
  return orUnreadable(ports, id, () => ports.store.businesses.get(id));
}

function orUnreadable<T>(ports: Ports, id: string, read: () => MaybeRead<T>): MaybeRead<T> {
  const { unreadable } = ports;
  return unreadable === undefined ? read() : attempt(unreadable);

  async function attempt(noted: Set<string>) {
    try {
      const found = await read();
      if (found.isOk()) return found;
      report(ports, { kind: 'failure', name: 'sweep', outcome: found.error.kind });
    } catch (thrown) {
      reportThrown(ports, 'sweep', thrown);
    }
    noted.add(id);
    return ok(undefined);
  }
}

export async function findOwnAppointment(
  ports: Ports,
  id: string,
  barberId: string,
  check: AppointmentCheck = checkServed,
): Promise<Result<Appointment, FaultOf<'forbidden' | 'notFound'> | StoreUnavailable>> {
  const found = await findAppointment(ports, id, check);
  return found.andThen((appointment) =>
    requireOwn(appointment.barber.id === barberId, 'appointment').map(() => appointment),
  );
}

/**
 * Requires the barber who opened the payment, as the payment's snapshot names them. The
 * appointment's present barber is allowed too, while the appointment is at the payment's business.
 * Only the appointment's own barber can open a payment.
 */
export async function requireBarberOf(
  ports: Ports,
  payment: Payment,
  barberId: string,
): Promise<Result<void, Fault<'forbidden'> | StoreUnavailable>> {
  const isOwn = await isBarberOf(ports, shopOf(payment), barberId);
  return isOwn.andThen((own) => requireOwn(own, 'payment'));
}

/** The visit, shop and barber that a payment or a tender was recorded with. */
interface RecordedShop {
  readonly appointmentId: string;
  readonly businessId: string;
  readonly barberId: string;
}

function shopOf({ appointment, businessId }: Payment): RecordedShop {
  return { appointmentId: appointment.id, businessId, barberId: appointment.barber.id };
}

async function isBarberOf(
  ports: Ports,
  { appointmentId, businessId, barberId: recorded }: RecordedShop,
  barberId: string,
): Promise<Result<boolean, StoreUnavailable>> {
  if (recorded === barberId) return ok(true);
  const now = await readAppointment(ports, appointmentId);
  return now.map((found) => found?.barber?.id === barberId && found.businessId === businessId);
}

/** Whether the caller is the record's barber, of its business, or a system administrator. */
export async function isStaffOf(
  ports: Ports,
  auth: AuthContext,
  shop: RecordedShop,
): Promise<Result<boolean, StoreUnavailable>> {
  if (managesShop(auth, shop.businessId)) return ok(true);
  return auth.barberId === undefined ? ok(false) : isBarberOf(ports, shop, auth.barberId);
}

export function notYourVisit(): Fault<'forbidden'> {
  return onlyFor("the appointment's barber, its business or an administrator");
}

/** Refuses callers who can have no appointment, before a read. */
export function requireSomeVisit(auth: AuthContext): Result<void, Fault<'forbidden'>> {
  return auth.barberId === undefined && !managesShops(auth) ? err(notYourVisit()) : ok();
}

/** Finds an appointment for its barber, its business or a system administrator. */
export async function findAppointmentForStaff(
  ports: Ports,
  auth: AuthContext,
  id: string,
): Promise<Result<Appointment, FaultOf<'forbidden' | 'notFound'> | StoreUnavailable>> {
  const found = await findAppointment(ports, id, checkServed);
  return found.andThen((appointment) => {
    const isOwn = appointment.barber.id === auth.barberId;
    return isOwn || managesShop(auth, appointment.businessId) ? found : err(notYourVisit());
  });
}

/**
 * Finds a card-present payment that the processor has opened. Earlier ones are not visible to any
 * caller, and charges of saved methods have operations of their own.
 */
export function findContactlessPayment(ports: Ports, id: string): Found<OpenedPayment> {
  return findPayment(ports, id, isContactless);
}

/** Finds a payment or a charge that the processor has opened. */
function findPayment(
  ports: Ports,
  id: string,
  isShown: (payment: Payment) => boolean,
): Found<OpenedPayment> {
  const isThere = (payment: Payment): payment is OpenedPayment =>
    isOpened(payment) && isShown(payment);
  return find('payment', id, ports.store.payments, isThere);
}

type FoundPayment = Steps<OpenedPayment, FaultOf<'forbidden' | 'notFound'> | StoreUnavailable>;

/** Finds a payment for its business or a system administrator: who may give money back. */
export async function* findPaymentForManager(
  ports: Ports,
  auth: AuthContext,
  id: string,
  isShown: (payment: Payment) => boolean = () => true,
): FoundPayment {
  if (managesShops(auth)) {
    const payment = yield* await findPayment(ports, id, isShown);
    if (managesShop(auth, payment.businessId)) return payment;
  }
  return yield* err(onlyFor("the payment's business or an administrator"));
}

/** Finds a payment for its barber, its business or a system administrator. */
export async function* findPaymentForStaff(
  ports: Ports,
  auth: AuthContext,
  id: string,
  isShown: (payment: Payment) => boolean = () => true,
): FoundPayment {
  if (auth.barberId !== undefined || managesShops(auth)) {
    const payment = yield* await findPayment(ports, id, isShown);
    if (yield* await isStaffOf(ports, auth, shopOf(payment))) return payment;
  }
  return yield* err(onlyFor("the payment's barber, its business or an administrator"));
}

/**
 * Judges a key's payment (D22).
 * @param isDone whether the payment has what the operation of the key asks for.
 */
export function paymentMayBe(isDone: (payment: Payment) => boolean): MayBeApplied {
  return async ({ store }, { resourceId, problem }) => {
    const payment = await store.payments.get(resourceId);
    if (payment.isErr()) return true;
    if (payment.value === undefined) return false;
    const isOver = payment.value.state === 'canceled' || problem !== undefined;
    return isDone(payment.value) || !isOver;
  };
}

export function isCaptured({ state }: Payment): boolean {
  return state === 'captured';
}

/**
 * Reads the records that a payment's capture is compared with. They must be read after the
 * reservation has committed. Then either this read sees a lowered amount, or the host that lowered
 * it sees the reservation (D13).
 */
export async function readDues(
  ports: Ports,
  payment: Payment,
): Promise<Result<Required<Dues>, StoreUnavailable>> {
  const { appointment, businessId } = payment;
  const { ledgers } = ports.store;
  const ledgerId = ledgerIdOf(payment);
  const [found, ledger, business, visit, others] = await Promise.all([
    readAppointment(ports, appointment.id),
    ledgers.get(ledgerId),
    readBusiness(ports, businessId),
    // Only the fee for a missed visit has a ledger of its own.
    ledgerId === appointment.id ? ok(undefined) : ledgers.get(appointment.id),
    readOtherDues(ports, payment),
  ]);
  if (found.isErr()) return err(found.error);
  if (ledger.isErr()) return err(ledger.error);
  if (visit.isErr()) return err(visit.error);
  if (others.isErr()) return err(others.error);
  const current = found.value;
  // For a moved appointment, the currency of its present business counts.
  const isMoved = current !== undefined && current.businessId !== businessId;
  const owner = isMoved ? await readBusiness(ports, current.businessId) : business;
  return owner.map((business) => ({
    appointment: current,
    ledger: ledger.value,
    business,
    visit: visit.value,
    others: others.value,
  }));
}

/** What an appointment owes, once the captures since the backup are recorded. */
export async function readDuesRestored(
  ports: Ports,
  payment: Payment,
): Promise<Result<Dues, unknown>> {
  const restored = await checkRestored(ports, payment.account);
  return restored.isErr() ? err(restored.error) : readDues(ports, payment);
}

/** Reads the records of the other visits that a payment pays. */
export async function readOtherDues(
  ports: Ports,
  payment: Payment,
): Promise<Result<readonly OtherDues[], StoreUnavailable>> {
  const { ledgers } = ports.store;
  const others: OtherDues[] = [];
  for (const appointmentId of owedByVisit(sharesOf(payment)).keys()) {
    if (appointmentId === payment.appointment.id) continue;
    const [found, ledger] = await Promise.all([
      readAppointment(ports, appointmentId),
      ledgers.get(appointmentId),
    ]);
    if (found.isErr()) return err(found.error);
    if (ledger.isErr()) return err(ledger.error);
    const appointment = found.value;
    const business = await readBusiness(ports, appointment?.businessId ?? payment.businessId);
    if (business.isErr()) return err(business.error);
    others.push({
      appointmentId,
      appointment,
      business: business.value,
      ledger: ledger.value,
    });
  }
  return ok(others);
}

/** Whether the appointment owes nothing more. Amounts in two currencies cannot tell. */
export async function* isPaid(
  { store }: Ports,
  appointment: Appointment,
  ledger: Ledger,
): Steps<boolean, StoreUnavailable> {
  const business = yield* await store.businesses.get(appointment.businessId);
  return (leftMinorAt(business, appointment, ledger) ?? 1n) <= 0n;
}

/** Reads an appointment's ledger, and the tips of its captured payments where tips are on. */
export async function readLedger(
  ports: Ports,
  appointmentId: string,
): Promise<Result<AppointmentLedger, StoreUnavailable>> {
  const read = await ports.store.ledgers.get(appointmentId);
  if (read.isErr()) return err(read.error);
  const ledger = read.value;
  // Stryker disable next-line ConditionalExpression,LogicalOperator: without tips it only saves a read.
  if (ports.tips === undefined || (ledger.tipsMinor ?? 0n) === 0n) return ok(viewLedger(ledger));
  const tips = await readCapturedTips(ports, ledger);
  return tips.map((tipsMinor) => viewLedger(ledger, tipsMinor));
}

/** The tips of captures that are under way, which may still fail, are among the ledger's. */
export async function readCapturedTips(
  ports: Ports,
  { appointmentId, tipsMinor = 0n, currency: ofLedger = '', openPayments }: Ledger,
): Promise<Result<bigint, StoreUnavailable>> {
  if (openPayments === 0) return ok(tipsMinor);
  const listed = await ports.store.payments.listByAppointment(appointmentId, maxListedPayments);
  return listed.map((all) => {
    const underway = all.filter(({ reserved }) => reserved);
    const tips = underway.map(({ tipMinor = 0n, currency }) => new Money(tipMinor, currency));
    return tipsMinor - (sumIn(ofLedger, tips) ?? 0n);
  });
}

/** The amount in a request, in minor units; `undefined` if it names none. It must be above zero. */
export function requestedMinor(
  amount: string | undefined,
): Result<bigint | undefined, Fault<'unprocessableEntity'>> {
  if (amount === undefined) return ok(undefined);
  const minor = parseMoney(amount);
  if (minor.isErr()) return err(unfit('/amount', 'The amount has more than 15 digits.'));
  return minor.value > 0n
    ? ok(minor.value)
    : err(unfit('/amount', 'The amount must be above zero.'));
}

export interface RequestedAmount {
  readonly amountMinor: bigint | undefined;
  /** `undefined` if the request names no tip. */
  readonly tipMinor: bigint | undefined;
}

/** The parts of a request's amount, in minor units. A tip is at least zero. */
export function requestedParts(body: {
  readonly amount?: string | undefined;
  readonly tip?: string | undefined;
}): Result<RequestedAmount, Fault<'unprocessableEntity'>> {
  const amount = requestedMinor(body.amount);
  if (amount.isErr()) return err(amount.error);
  const amountMinor = amount.value;
  if (body.tip === undefined) return ok({ amountMinor, tipMinor: undefined });
  const tip = parseMoney(body.tip);
  if (tip.isErr()) return err(unfit('/tip', 'The tip has more than 15 digits.'));
  const tipMinor = tip.value;
  if (tipMinor < 0n) return err(unfit('/tip', 'The tip must not be negative.'));
  return tipMinor > (amountMinor ?? tipMinor)
    ? err(unfit('/tip', 'The tip must not be more than the amount.'))
    : ok({ amountMinor, tipMinor });
}

type Canceling<E> = (cause: CancelCause) => Promise<Result<Payment, E>>;

/**
 * Releases a payment that must not be captured, and returns the reason as an error. If the processor has
 * captured it, the capture wins and the next retry finds it (D13, D16).
 */
export async function releaseUndue<E>(
  { why, appointmentId }: Released,
  cancel: Canceling<E>,
): Promise<Result<never, Fault<'conflict'>>> {
  const released = await cancel(why === 'appointmentGone' ? 'exceedsRemainingBalance' : why);
  // If this fails, `reconcile` releases it.
  const isReleased = released.isOk() && released.value.state === 'canceled';
  if (released.isOk() && !isReleased) return err(running());
  const about = appointmentId !== undefined && { appointmentId };
  return err(conflict(why, details[why], { isReleased, ...about }));
}

export const details: Readonly<Record<Released['why'], string>> = {
  appointmentGone: 'The appointment no longer exists, so it owes no money.',
  customerChanged: 'The appointment is another customer’s now, so the saved method is not charged.',
  setupChanged: 'The appointment has another method now, so the saved one is not charged.',
  visitPaid:
    'The visit has been paid, so no fee for missing it is due. What was refunded still counts, so raise the amount due by that first.',
  currencyChanged: 'The appointment is now paid in another currency.',
  differsAtProcessor: 'The processor shows another amount, currency, account or fee.',
  exceedsRemainingBalance: 'The payment is more than the appointment still owes.',
};

/**
 * Refuses money for an appointment whose id was used before, by another customer for another day. What that
 * one has paid would count for this visit.
 * @param movedId the payment that is being shared: it is no other one.
 */
export async function* requireUnused(
  { store }: Ports,
  appointment: Appointment,
  { capturedMinor, tenderedMinor = 0n }: Ledger,
  movedId?: string,
): Steps<void, Fault<'conflict'> | StoreUnavailable> {
  const { id, customerId, sameVisit } = appointment;
  const day = dayOf(appointment);
  const isUnpaid = capturedMinor + tenderedMinor === 0n;
  if (isUnpaid || customerId === undefined || day === undefined || sameVisit === true) return;
  const listed = yield* await store.payments.listByAppointment(id, maxListedPayments);
  const tenders =
    tenderedMinor === 0n ? [] : yield* await store.tenders.listByAppointment(id, maxListedTenders);
  const others = new Set<string>();
  const paid = [
    ...listed.filter(isPaidHere).map((one) => ({ ...one, visitDay: dayOf(one.appointment) })),
    ...tenders.filter((one) => isRecorded(one) && one.voidedAt === undefined),
  ];
  for (const { customerId: other, visitDay } of paid) {
    const isSameDay = visitDay === undefined || visitDay === day;
    if (other !== undefined && other !== customerId && !isSameDay) others.add(other);
  }
  // Stryker disable next-line ConditionalExpression: it only saves a read.
  if (others.size === 0) return;
  const present = yield* customerNow(store, customerId);
  for (const other of others) {
    if ((yield* customerNow(store, other)) === present) continue;
    const detail = 'Another customer has paid at this appointment for another day.';
    return yield* err(conflict('appointmentReused', detail, { appointmentId: id }));
  }

  function isPaidHere({ id: paymentId, state, shares }: Payment): boolean {
    // What was moved to another visit is not for this one.
    const isMoved = shares?.every(({ appointmentId }) => appointmentId !== id) === true;
    return state === 'captured' && !isMoved && paymentId !== movedId;
  }
}

/** The day of a visit, where it takes place; `undefined` if the host's row has no time. */
export function dayOf({ occursOn, timeZone }: AppointmentReference): string | undefined {
  const at = Date.parse(occursOn);
  return Number.isNaN(at) ? undefined : localTimes(timeZone ?? 'UTC')(at).slice(0, 10);
}
