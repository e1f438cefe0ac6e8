import type { Payment } from '../payment/payment.ts';
import type { Store, StoreUnavailable } from '../ports/store.ts';
import type { ShareEntry } from '../share/share.ts';
import { sharesOf } from '../share/shares-of.ts';
import type { Steps } from '../values/result.ts';

/** A customer under all ids, and the appointments that the host names for it. */
export interface Person {
  readonly customerIds: readonly string[];
  readonly appointmentIds: ReadonlySet<string>;
}

/**
 * Whether a payment is this customer's. One that names no customer belongs to the visit that it was opened for, or
 * to those that have all of it by now.
 */
export function isPaymentOf({ customerIds, appointmentIds }: Person, payment: Payment): boolean {
  const { customerId, appointment } = payment;
  if (customerId !== undefined) return customerIds.includes(customerId);
  if (appointmentIds.has(appointment.id)) return true;
  return sharesOf(payment).every((share) => appointmentIds.has(share.appointmentId));
}

/** The customer's payments among these that were opened for other visits: the lists of its visits lack them. */
export async function* readMovedPayments(
  { payments }: Store,
  person: Person,
  entries: readonly ShareEntry[],
): Steps<readonly Payment[], StoreUnavailable> {
  const moved: Payment[] = [];
  for (const id of new Set(entries.map(({ paymentId }) => paymentId))) {
    const payment = yield* await payments.get(id);
    if (payment === undefined || person.appointmentIds.has(payment.appointment.id)) continue;
    if (isPaymentOf(person, payment)) moved.push(payment);
  }
  return moved;
}
