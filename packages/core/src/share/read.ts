import { operation } from '../frame/operation.ts';
import { findManagedAppointment, requireSomeVisit } from '../payment/find.ts';
import { ledgerIdOf, maxListedPayments, type Payment } from '../payment/payment.ts';
import type { Ports } from '../ports/ports.ts';
import type { StoreUnavailable } from '../ports/store.ts';
import { readReturns } from '../refund/returned.ts';
import { formatMoney } from '../values/money.ts';
import type { Steps } from '../values/result.ts';
import { maxListedShares } from './share.ts';
import { leftToShares, sharesOf } from './shares-of.ts';
import {
  shareShapes,
  type VisitSharesView,
  type VisitShareView,
  visitSharesSchema,
} from './wire.ts';

/** The captured payments that have a share for a visit, whichever visit they were opened for. */
export async function* readPaymentsOf(
  { store }: Ports,
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
   * For the visit's barber, its business and administrators (D208).
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
    const appointment = yield* await findManagedAppointment(ports, auth, appointmentId);
    const { businessId } = appointment;
    const items: VisitShareView[] = [];
    for (const payment of yield* readPaymentsOf(ports, appointment.id)) {
      if (payment.businessId !== businessId) continue;
      const left = leftToShares(yield* readReturns(ports, payment));
      for (const [index, share] of sharesOf(payment).entries()) {
        if (share.appointmentId !== appointment.id) continue;
        items.push({
          contactlessPaymentId: payment.id,
          paidAt: payment.appointment.id,
          barberId: share.barberId,
          amount: formatMoney(share.amountMinor),
          ...(share.tipMinor > 0n && { tip: formatMoney(share.tipMinor) }),
          left: formatMoney(left[index]?.amountMinor ?? 0n),
          ...((left[index]?.tipMinor ?? 0n) > 0n && {
            leftTip: formatMoney(left[index]?.tipMinor ?? 0n),
          }),
          currency: payment.currency,
        });
      }
    }
    return { items, count: items.length };
  }),
};
