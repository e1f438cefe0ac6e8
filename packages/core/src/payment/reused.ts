import { customerNow } from '../frame/merged.ts';
import type { Appointment, AppointmentReference, Ledger } from '../host/appointment.ts';
import type { Ports } from '../ports/ports.ts';
import type { StoreUnavailable } from '../ports/store.ts';
import { conflict, type Fault } from '../problems/problem.ts';
import { err, type Steps } from '../values/result.ts';
import { localTimes } from '../values/time.ts';
import { maxListedPayments, type Payment } from './payment.ts';

/**
 * Refuses to open a payment if the appointment's id was used before, by another customer for another day.
 * Those payments would count for this visit (D209).
 */
export async function* requireUnused(
  { store }: Ports,
  appointment: Appointment,
  ledger: Ledger,
): Steps<void, Fault<'conflict'> | StoreUnavailable> {
  const { customerId, sameVisit } = appointment;
  if (ledger.capturedMinor === 0n || customerId === undefined || sameVisit === true) return;
  const listed = yield* await store.payments.listByAppointment(appointment.id, maxListedPayments);
  const others = new Set(listed.filter(isOfOther).map((payment) => payment.customerId ?? ''));
  if (others.size === 0) return;
  const now = yield* customerNow(store, customerId);
  for (const other of others) {
    if ((yield* customerNow(store, other)) === now) continue;
    const detail = 'Another customer has paid at this appointment for another day.';
    return yield* err(conflict('appointmentReused', detail));
  }

  function isOfOther(payment: Payment): boolean {
    if (payment.state !== 'captured' || payment.customerId === undefined) return false;
    // What was moved to another visit is not for this one (D208).
    const { shares } = payment;
    if (shares?.every(({ appointmentId }) => appointmentId !== appointment.id) === true)
      return false;
    return payment.customerId !== customerId && dayOf(payment.appointment) !== dayOf(appointment);
  }
}

/** The day of a visit, where it takes place. */
function dayOf({ occursOn, timeZone }: AppointmentReference): string {
  return localTimes(timeZone ?? 'UTC')(Date.parse(occursOn)).slice(0, 10);
}
