import type { Appointment } from '../domain/appointment.ts';
import type { Business } from '../domain/business.ts';
import { isOpened, type OpenedPayment, type Payment } from '../domain/payment.ts';
import { type Fault, type FaultOf, fault } from '../domain/problem.ts';
import { err, ok, type Result, type Steps } from '../domain/result.ts';
import { canBeId } from '../domain/text.ts';
import type { AuthContext } from '../ports/auth-context.ts';
import type { Ports } from '../ports/ports.ts';
import type { Read, StoreUnavailable } from '../ports/store.ts';

/** The caller must be a barber (D10). */
export function requireBarber(auth: AuthContext): Result<string, Fault<'forbidden'>> {
  return auth.barberId === undefined
    ? err(fault('forbidden', 'Only a barber may do this.'))
    : ok(auth.barberId);
}

/** The caller must be a barber who may take contactless payments (D10). */
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

/** The caller must be a customer (D10). */
export function requireCustomer(auth: AuthContext): Result<string, Fault<'forbidden'>> {
  return auth.customerId === undefined
    ? err(fault('forbidden', 'Only a customer may do this.'))
    : ok(auth.customerId);
}

/** The record must be the caller's (D10). */
export function requireOwn(isOwn: boolean, what: string): Result<void, Fault<'forbidden'>> {
  return isOwn ? ok() : err(fault('forbidden', `The ${what} is not yours.`));
}

type Access = Steps<void, Fault<'forbidden'> | StoreUnavailable>;

/**
 * The caller must be the barber who opened the payment, or the appointment's present barber while the
 * appointment is at the payment's business (D38). The payment's snapshot names who opened it: only
 * the appointment's own barber can.
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
  const now = await findAppointment(ports, appointment.id);
  if (now.isErr()) return 'kind' in now.error ? err(now.error) : ok(false);
  return ok(now.value.reference.barber.id === barberId && now.value.businessId === businessId);
}

/** The payment's barber, its business or a system administrator: who runs the shop (D17, D36). */
export async function* requireManager(ports: Ports, auth: AuthContext, payment: Payment): Access {
  const isManager =
    auth.systemAdministrator === true || auth.businessIds?.includes(payment.businessId) === true;
  if (isManager) return;
  const { barberId } = auth;
  const isBarbers = barberId !== undefined && (yield* await isBarberOf(ports, payment, barberId));
  if (!isBarbers) {
    yield* err(
      fault(
        'forbidden',
        "Only the payment's barber, its business or an administrator may do this.",
      ),
    );
  }
}

type Found<T> = Promise<Result<T, Fault<'notFound'> | StoreUnavailable>>;
interface Records<T> {
  get(id: string): Read<T | undefined>;
}

/**
 * Reads a record by an id from a path: one that no record can have is simply not found (D1).
 * @param isThere where false, the record is not found either.
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
  const value = read.value ?? undefined; // a host's own database may answer `null`
  return value === undefined || !isThere(value)
    ? err(fault('notFound', `There is no such ${what}.`))
    : ok(value);
}

/**
 * Finds an appointment by its one id: what is paid is counted under it (D13), so a host's database
 * that knows it by another name, too, must not open it under that (D74).
 */
export function findAppointment(ports: Ports, id: string): Found<Appointment> {
  const hasOneId = (found: Appointment) => found.id === id && found.reference.id === id;
  return find('appointment', id, ports.store.appointments, hasOneId);
}

/** Finds an appointment, which must be the barber's (D10). */
export async function findOwnAppointment(
  ports: Ports,
  id: string,
  barberId: string,
): Promise<Result<Appointment, FaultOf<'forbidden' | 'notFound'> | StoreUnavailable>> {
  const found = await findAppointment(ports, id);
  return found.andThen((appointment) =>
    requireOwn(appointment.reference.barber.id === barberId, 'appointment').map(() => appointment),
  );
}

/** Finds a payment that was opened: before that it is no one's to see. */
export function findPayment(ports: Ports, id: string): Found<OpenedPayment> {
  return find('payment', id, ports.store.payments, isOpened);
}

/**
 * Finds the business of a path, which must be one of the caller's. In D11's order: 403 for a caller
 * without a business, 404 for one that does not exist, 403 for someone else's. What belongs to it is
 * looked up only then, so that nobody learns what others have.
 */
export async function* findOwnBusiness(
  ports: Ports,
  auth: AuthContext,
  id: string,
): Steps<Business, FaultOf<'forbidden' | 'notFound'> | StoreUnavailable> {
  const { businessIds = [] } = auth;
  if (businessIds.length === 0) {
    return yield* err(fault('forbidden', 'Only a business may do this.'));
  }
  const business = yield* await find('business', id, ports.store.businesses);
  yield* requireOwn(businessIds.includes(business.id), 'business');
  return business;
}
