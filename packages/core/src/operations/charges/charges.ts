import {
  findAppointment,
  findManagedPayment,
  findPaymentOfBusiness,
  managesShop,
  managesShops,
  notOfItsShop,
} from '../../call/access.ts';
import { hostOperation, operation } from '../../call/operation.ts';
import type { Appointment, Ledger } from '../../domain/appointment.ts';
import { formatMoney } from '../../domain/money.ts';
import {
  isContactless,
  isOpened,
  maxListedPayments,
  type OpenedPayment,
  type Payment,
} from '../../domain/payment.ts';
import { isCounted, maxListedRefunds } from '../../domain/refund.ts';
import { err, type Steps } from '../../domain/result.ts';
import type { Ports } from '../../ports/ports.ts';
import type { StoreUnavailable } from '../../ports/store.ts';
import {
  type ChargesView,
  type ChargeView,
  chargeSchema,
  chargesSchema,
} from '../../schemas/charge.ts';
import { chargedExample, chargeShapes } from '../../schemas/shapes/charge.ts';
import { type OpenedCharge, viewCharge } from '../../schemas/views.ts';
import { cancel } from '../../work/canceling/canceling.ts';
import { alreadyCaptured } from '../../work/faults.ts';

const isCharge = (payment: Payment) => !isContactless(payment);

export const charges = {
  /**
   * Reads a stored charge. It never asks the processor.
   *
   * @example
   * const read = await chairside.getCharge(manager, { chargeId: 'chg_01h' });
   * const isPaid = read.isOk() && read.value.state === 'captured';
   */
  getCharge: operation<{ readonly chargeId: string }, ChargeView>()({
    limit: 'reads',
    problems: ['forbidden', 'notFound'],
    group: 'Charges',
    summary: 'Reads a charge of a saved method',
    description: 'Returns the stored charge, without a call to the processor.',
    output: chargeSchema,
    example: chargedExample,
    shapes: chargeShapes,
    async *run({ ports, auth }, { chargeId }) {
      const payment = yield* findPaymentOfBusiness(ports, auth, chargeId, isCharge);
      return viewCharge(asCharge(payment));
    },
  }),

  /**
   * Lists an appointment's charges, refused ones included, and the amount of its deposits that is no
   * longer due. Refund that amount with `refundPayment`.
   *
   * @example
   * const listed = await chairside.listCharges(manager, { appointmentId: 'haircut' });
   * if (listed.isOk()) console.log(listed.value.excess); // 5.00
   */
  listCharges: operation<{ readonly appointmentId: string }, ChargesView>()({
    limit: 'reads',
    problems: ['forbidden', 'notFound'],
    group: 'Charges',
    summary: 'Lists the charges of an appointment',
    description:
      'Returns the charges of saved methods, refused ones included, oldest first. `excess` is what the deposits exceed the amount due by: give it back with a refund.',
    output: chargesSchema,
    shapes: chargeShapes,
    async *run({ ports, auth }, { appointmentId }) {
      if (!managesShops(auth)) return yield* err(notOfItsShop());
      const appointment = yield* await findAppointment(ports, appointmentId);
      if (!managesShop(auth, appointment.businessId)) return yield* err(notOfItsShop());
      const { payments, ledgers } = ports.store;
      const listed = yield* await payments.listByAppointment(
        appointment.id,
        maxListedPayments,
        appointment.businessId,
      );
      const items = listed.filter(isOpened).filter(isCharge).map(asCharge);
      const ledger = yield* await ledgers.get(appointment.id);
      const excessMinor = yield* excessOf(ports, appointment, ledger, items);
      const excess = formatMoney(excessMinor);
      return { items: items.map(viewCharge), count: items.length, excess };
    },
  }),

  /**
   * Cancels a charge that has not taken money yet. A captured one is a 409 `conflict` with the reason
   * `captured`; refund it instead. For the appointment's barber, its business and administrators.
   *
   * @example
   * const ended = await chairside.cancelCharge(manager, { chargeId: 'chg_01h' });
   */
  cancelCharge: hostOperation<{ readonly chargeId: string }, ChargeView>()({
    problems: ['forbidden', 'notFound', 'conflict'],
    async *run({ ports, auth }, { chargeId }) {
      const payment = yield* findManagedPayment(ports, auth, chargeId, isCharge);
      const ended = yield* await cancel(ports, payment, 'requested');
      if (ended.state === 'captured' || !isOpened(ended)) return yield* err(alreadyCaptured());
      return viewCharge(asCharge(ended));
    },
  }),
};

function asCharge(payment: OpenedPayment): OpenedCharge {
  return payment as OpenedCharge; // cast: the callers have filtered by `isCharge`
}

/** Sums what deposits took beyond the amount due, less their refunds (D49). */
async function* excessOf(
  ports: Ports,
  { amountDueMinor }: Appointment,
  { capturedMinor }: Ledger,
  items: readonly OpenedCharge[],
): Steps<bigint, StoreUnavailable> {
  const overMinor = capturedMinor - amountDueMinor;
  if (overMinor <= 0n) return 0n;
  let refundedMinor = 0n;
  let keptMinor = 0n;
  for (const { id, charge, capturedMinor: takenMinor = 0n } of items) {
    if (charge.purpose !== 'deposit' || takenMinor === 0n) continue;
    const refunds = yield* await ports.store.refunds.listByPayment(id, maxListedRefunds);
    for (const { amountMinor } of refunds.filter(isCounted)) refundedMinor += amountMinor;
    keptMinor += takenMinor;
  }
  // Money that other payments took beyond the amount due is not the deposits'.
  const excessMinor = (overMinor > keptMinor ? keptMinor : overMinor) - refundedMinor;
  return excessMinor > 0n ? excessMinor : 0n;
}
