import type { Appointment } from '../domain/appointment.ts';
import type { Business } from '../domain/business.ts';
import { isOpenedSetup, type OpenedSetup } from '../domain/method-setup.ts';
import { isContactless, isOpened, type OpenedPayment, type Payment } from '../domain/payment.ts';
import { type Fault, type FaultOf, fault } from '../domain/problem.ts';
import { err, ok, type Result, type Steps } from '../domain/result.ts';
import { canBeId } from '../domain/text.ts';
import type { AuthContext } from '../ports/auth-context.ts';
import type { Ports } from '../ports/ports.ts';
import type { Read, StoreUnavailable } from '../ports/store.ts';

export function requireBarber(auth: AuthContext): Result<string, Fault<'forbidden'>> {
  return auth.barberId === undefined
    ? err(fault('forbidden', 'Only a barber may do this.'))
    : ok(auth.barberId);
}

export function requireEntitledBarber(
  auth: AuthContext,
): Result<string, Fault<'forbidden'> | Fault<'contactlessPaymentEntitlementMissing'>> {
  return requireBarber(auth).andThen((barberId) =>
    auth.entitlements?.includes('contactlessPayments')
      ? ok(barberId)
      : err(
          fault(
            'contactlessPaymentEntitlementMissing',
            'Contactless payments are not enabled for this barber.',
          ),
        ),
  );
}

export function requireCustomer(auth: AuthContext): Result<string, Fault<'forbidden'>> {
  return auth.customerId === undefined
    ? err(fault('forbidden', 'Only a customer may do this.'))
    : ok(auth.customerId);
}

export function requireBusiness({
  businessIds = [],
}: AuthContext): Result<readonly string[], Fault<'forbidden'>> {
  return businessIds.length === 0
    ? err(fault('forbidden', 'Only a business may do this.'))
    : ok(businessIds);
}

export function requireOwn(isOwn: boolean, what: string): Result<void, Fault<'forbidden'>> {
  return isOwn ? ok() : err(fault('forbidden', `The ${what} is not yours.`));
}

/**
 * Whether the caller may act for some shop: an administrator or a business. Other callers are refused
 * before a read, so that they cannot tell which records exist (D11).
 */
export function managesShops({ systemAdministrator, businessIds = [] }: AuthContext): boolean {
  return systemAdministrator === true || businessIds.length > 0;
}

export function notOfItsShop(): Fault<'forbidden'> {
  return fault('forbidden', "Only the appointment's business or an administrator may do this.");
}

export function managesShop(auth: AuthContext, businessId: string): boolean {
  return auth.systemAdministrator === true || auth.businessIds?.includes(businessId) === true;
}

/**
 * Requires the barber who opened the payment, as the payment's snapshot names them. The
 * appointment's present barber is allowed too, while the appointment is at the payment's business
 * (D38). Only the appointment's own barber can open a payment.
 */
export async function requireBarberOf(
  ports: Ports,
  payment: Payment,
  barberId: string,
): Promise<Result<void, Fault<'forbidden'> | StoreUnavailable>> {
  const isOwn = await isBarberOf(ports, payment, barberId);
  return isOwn.andThen((own) => requireOwn(own, 'payment'));
}

async function isBarberOf(
  ports: Ports,
  { appointment, businessId }: Payment,
  barberId: string,
): Promise<Result<boolean, StoreUnavailable>> {
  if (appointment.barber.id === barberId) return ok(true);
  const now = await readAppointment(ports, appointment.id);
  return now.map((found) => found?.barber.id === barberId && found.businessId === businessId);
}

type Found<T> = Promise<Result<T, Fault<'notFound'> | StoreUnavailable>>;
interface Records<T> {
  get(id: string): Read<T | undefined>;
}

/**
 * Reads a record by an id from a path. Invalid ids are not found, without a read (D1).
 * @param isThere if it returns false, the record is not found either.
 */
export function find<T, Seen extends T>(
  what: string,
  id: string,
  records: Records<T>,
  isThere: (record: T) => record is Seen,
): Found<Seen>;
export function find<T>(
  what: string,
  id: string,
  records: Records<T>,
  isThere?: (record: T) => boolean,
): Found<T>;
export async function find<T>(
  what: string,
  id: string,
  records: Records<T>,
  isThere: (record: T) => boolean = () => true,
): Found<T> {
  const read = canBeId(id) ? await records.get(id) : ok(undefined);
  if (read.isErr()) return err(read.error);
  const value = read.value ?? undefined; // a host's own database may return `null`
  return value === undefined || !isThere(value) ? err(notFound(what)) : ok(value);
}

export function notFound(what: string): Fault<'notFound'> {
  return fault('notFound', `There is no such ${what}.`);
}

/**
 * Finds an appointment by its only id, because the ledger counts payments under that id (D13). A
 * host's database may know the appointment by a second id, which must not open it (D74).
 */
export function findAppointment(ports: Ports, id: string): Found<Appointment> {
  const hasOneId = (found: Appointment) => found.id === id;
  return find('appointment', id, ports.store.appointments, hasOneId);
}

/** The appointment; `undefined` if the host no longer has it. */
export async function readAppointment(
  ports: Ports,
  id: string,
): Promise<Result<Appointment | undefined, StoreUnavailable>> {
  return orAbsent(await findAppointment(ports, id));
}

/** `undefined` for a record that was not found. */
export function orAbsent<T>(found: Awaited<Found<T>>): Result<T | undefined, StoreUnavailable> {
  if (found.isOk()) return ok(found.value);
  return 'kind' in found.error ? err(found.error) : ok(undefined);
}

/**
 * Whether a record that was read before its id was known has this id, or its read has failed. Where
 * a host keeps such records elsewhere, the store finds no record, or another record.
 */
export function isReadOf<T extends { readonly id: string }>(
  id: string,
  read: Result<T | undefined, StoreUnavailable> | undefined,
): read is Result<T | undefined, StoreUnavailable> {
  return read !== undefined && (read.isErr() || read.value?.id === id);
}

export async function findOwnAppointment(
  ports: Ports,
  id: string,
  barberId: string,
): Promise<Result<Appointment, FaultOf<'forbidden' | 'notFound'> | StoreUnavailable>> {
  const found = await findAppointment(ports, id);
  return found.andThen((appointment) =>
    requireOwn(appointment.barber.id === barberId, 'appointment').map(() => appointment),
  );
}

/**
 * Finds a card-present payment that the processor has opened. Earlier ones are not visible to any
 * caller, and charges of saved methods have operations of their own (D49).
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

/** Finds an opened setup for its customer or a system administrator. */
export async function* findOwnSetup(
  ports: Ports,
  auth: AuthContext,
  id: string,
): Steps<OpenedSetup, FaultOf<'forbidden' | 'notFound'> | StoreUnavailable> {
  const isAdministrator = auth.systemAdministrator === true;
  if (!isAdministrator) yield* requireCustomer(auth);
  const setup = yield* await find('payment method setup', id, ports.store.setups, isOpenedSetup);
  const isOwn = isAdministrator || auth.customerId === setup.customerId;
  yield* requireOwn(isOwn, 'payment method setup');
  return setup;
}

/** Finds a payment for its business or a system administrator: who may give money back (D44). */
export async function* findPaymentOfBusiness(
  ports: Ports,
  auth: AuthContext,
  id: string,
  isShown: (payment: Payment) => boolean = () => true,
): FoundPayment {
  const refused = fault(
    'forbidden',
    "Only the payment's business or an administrator may do this.",
  );
  if (!managesShops(auth)) return yield* err(refused);
  const payment = yield* await findPayment(ports, id, isShown);
  return managesShop(auth, payment.businessId) ? payment : yield* err(refused);
}

/** Finds a payment for its barber, its business or a system administrator (D17, D36). */
export async function* findManagedPayment(
  ports: Ports,
  auth: AuthContext,
  id: string,
  isShown: (payment: Payment) => boolean = () => true,
): FoundPayment {
  const { barberId } = auth;
  const refused = fault(
    'forbidden',
    "Only the payment's barber, its business or an administrator may do this.",
  );
  if (barberId === undefined && !managesShops(auth)) return yield* err(refused);
  const payment = yield* await findPayment(ports, id, isShown);
  const isManaged =
    managesShop(auth, payment.businessId) ||
    (barberId !== undefined && (yield* await isBarberOf(ports, payment, barberId)));
  return isManaged ? payment : yield* err(refused);
}

/**
 * Finds the business of a path, which must belong to the caller. The order is D11's: 403 for a
 * caller without a business, 404 for a missing one, 403 for another's. Its records are read only
 * afterwards, so the errors reveal no other business's data.
 */
export async function* findOwnBusiness(
  ports: Ports,
  auth: AuthContext,
  id: string,
): Steps<Business, FaultOf<'forbidden' | 'notFound'> | StoreUnavailable> {
  const businessIds = yield* requireBusiness(auth);
  const business = yield* await find('business', id, ports.store.businesses);
  yield* requireOwn(businessIds.includes(business.id), 'business');
  return business;
}
