import {
  type Found,
  find,
  managesShop,
  managesShops,
  orAbsent,
  requireOwn,
} from '../frame/access.ts';
import type { MayBeApplied } from '../frame/idempotency.ts';
import type { Appointment } from '../host/appointment.ts';
import type { AuthContext, Ports } from '../ports/ports.ts';
import type { StoreUnavailable } from '../ports/store.ts';
import { type Fault, type FaultOf, fault } from '../problems/problem.ts';
import { err, ok, type Result, type Steps } from '../values/result.ts';
import { isContactless, isOpened, type OpenedPayment, type Payment } from './payment.ts';

// Appointments and payments, as operations look them up for a caller.

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
 * Requires the barber who opened the payment, as the payment's snapshot names them. The
 * appointment's present barber is allowed too, while the appointment is at the payment's business
 * (D38). Only the appointment's own barber can open a payment.
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
  return now.map((found) => found?.barber.id === barberId && found.businessId === businessId);
}

/** Whether the caller is the record's barber, of its business, or a system administrator (D17, D36, D38). */
export async function isManagedBy(
  ports: Ports,
  auth: AuthContext,
  shop: RecordedShop,
): Promise<Result<boolean, StoreUnavailable>> {
  if (managesShop(auth, shop.businessId)) return ok(true);
  return auth.barberId === undefined ? ok(false) : isBarberOf(ports, shop, auth.barberId);
}

export function notYourVisit(): Fault<'forbidden'> {
  const who = "Only the appointment's barber, its business or an administrator";
  return fault('forbidden', `${who} may do this.`);
}

/** Refuses callers who can have no appointment, before a read (D11). */
export function requireSomeVisit(auth: AuthContext): Result<void, Fault<'forbidden'>> {
  return auth.barberId === undefined && !managesShops(auth) ? err(notYourVisit()) : ok();
}

/** Finds an appointment for its barber, its business or a system administrator. */
export async function findManagedAppointment(
  ports: Ports,
  auth: AuthContext,
  id: string,
): Promise<Result<Appointment, FaultOf<'forbidden' | 'notFound'> | StoreUnavailable>> {
  const found = await findAppointment(ports, id);
  return found.andThen((appointment) => {
    const isOwn = appointment.barber.id === auth.barberId;
    return isOwn || managesShop(auth, appointment.businessId) ? found : err(notYourVisit());
  });
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
  const refused = fault(
    'forbidden',
    "Only the payment's barber, its business or an administrator may do this.",
  );
  if (auth.barberId === undefined && !managesShops(auth)) return yield* err(refused);
  const payment = yield* await findPayment(ports, id, isShown);
  const isManaged = yield* await isManagedBy(ports, auth, shopOf(payment));
  return isManaged ? payment : yield* err(refused);
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
