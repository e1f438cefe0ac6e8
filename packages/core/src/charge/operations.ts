import { managesShop, managesShops, notOfItsShop } from '../frame/access.ts';
import { actorOf, commit } from '../frame/commit.ts';
import { hostOperation, operation } from '../frame/operation.ts';
import { keyRetentionMs } from '../frame/record.ts';
import { cancel } from '../payment/cancel.ts';
import { alreadyCaptured, running } from '../payment/faults.ts';
import { findAppointment, findPaymentForManager, findPaymentForStaff } from '../payment/find.ts';
import {
  isContactless,
  isOpened,
  maxListedPayments,
  type OpenedPayment,
  type Payment,
} from '../payment/payment.ts';
import { slotChange, slotIdsOf, touchPayment } from '../payment/write.ts';
import { conflict } from '../problems/problem.ts';
import { readKept } from '../refund/refund-excess.ts';
import { comparableLeftMinor, readReturns } from '../refund/returns.ts';
import { findOwnSetup, readMethodUse, writeSetup } from '../setup/carry-setup.ts';
import { formatMoney } from '../values/money.ts';
import { err } from '../values/result.ts';
import { formatTimestamp } from '../values/time.ts';
import {
  type ChargesView,
  type ChargeView,
  chargedExample,
  chargeSchema,
  chargeShapes,
  chargesSchema,
  type OpenedCharge,
  viewCharge,
} from './wire.ts';

const isCharge = (payment: Payment) => !isContactless(payment);

export const charges = {
  /**
   * Reads a stored charge. It never asks the processor.
   *
   * @example
   * const read = await chairside.getCharge(manager, { chargeId: 'chg_01h' });
   * const isPaid = read.isOk() && read.value.state === 'captured';
   */
  getCharge: operation({
    ids: ['chargeId'],
    limit: 'reads',
    problems: ['forbidden', 'notFound'],
    group: 'Charges',
    summary: 'Reads a charge of a saved method',
    description: 'Returns the stored charge, without a call to the processor.',
    output: chargeSchema,
    example: chargedExample,
    shapes: chargeShapes,
  })(async function* ({ ports, auth }, { chargeId }) {
    const payment = yield* findPaymentForManager(ports, auth, chargeId, isCharge);
    return viewCharge(asCharge(payment));
  }),

  /**
   * Lists an appointment's charges, refused ones included, and what all of its payments have kept beyond
   * the amount due. Give that back with `refundExcess`. Where the amount due is in another currency,
   * there is no `excess` but `currencyChanged`.
   *
   * @example
   * const listed = await chairside.listCharges(manager, { appointmentId: 'haircut' });
   * if (listed.isOk()) console.log(listed.value.excess); // 5.00
   */
  listCharges: operation({
    ids: ['appointmentId'],
    limit: 'reads',
    problems: ['forbidden', 'notFound'],
    group: 'Charges',
    summary: 'Lists the charges of an appointment',
    description:
      'Returns the charges of saved methods, refused ones included, oldest first. `excess` is what all payments of the appointment have kept beyond the amount due, less refunds and disputes. Where the amount due is in another currency, there is `currencyChanged` instead.',
    output: chargesSchema,
    shapes: chargeShapes,
  })<ChargesView>(async function* ({ ports, auth }, { appointmentId }) {
    if (!managesShops(auth)) return yield* err(notOfItsShop());
    const appointment = yield* await findAppointment(ports, appointmentId);
    if (!managesShop(auth, appointment.businessId)) return yield* err(notOfItsShop());
    const { payments, businesses } = ports.store;
    const listed = yield* await payments.listByAppointment(
      appointment.id,
      maxListedPayments,
      appointment.businessId,
    );
    const items = listed.filter(isOpened).filter(isCharge).map(asCharge);
    const business = yield* await businesses.get(appointment.businessId);
    const kept = yield* await readKept(ports, appointment, business);
    const excess =
      kept === undefined ? { currencyChanged: true } : { excess: formatMoney(kept.excessMinor) };
    return { items: items.map(viewCharge), count: items.length, ...excess };
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
      const payment = yield* findPaymentForStaff(ports, auth, chargeId, isCharge);
      const ended = yield* await cancel(ports, payment, 'requested');
      if (ended.state === 'captured' || !isOpened(ended)) return yield* err(alreadyCaptured());
      return viewCharge(asCharge(ended));
    },
  }),

  /**
   * Allows one more charge of the same purpose, after this one went back in full, by refunds, cash or lost
   * disputes. An appointment has one deposit and one fee for a missed visit, and a refund alone does not
   * change that. Before that, and while a refund is pending, it is a 409 `conflict` with the reason
   * `notRefunded`. A repetition changes nothing. The amount due stays, and what went back counts as paid:
   * raise `amountDueMinor` by it, or the customer pays less than the visit costs.
   *
   * @example
   * const allowed = await chairside.allowAnotherCharge(manager, { chargeId: 'chg_01h' });
   */
  allowAnotherCharge: hostOperation<{ readonly chargeId: string }, ChargeView>()({
    problems: ['forbidden', 'notFound', 'conflict'],
    async *run({ ports, auth }, { chargeId }) {
      const payment = yield* findPaymentForManager(ports, auth, chargeId, isCharge);
      const returned = yield* readReturns(ports, payment);
      // A pending refund may still fail, and an open dispute be won: the customer would have paid twice.
      const refunds = returned.refunds.filter((refund) => refund.state === 'succeeded');
      const disputes = returned.disputes.filter((dispute) => dispute.state === 'lost');
      const keptMinor = comparableLeftMinor({ ...returned, refunds, disputes });
      const isBack = payment.state === 'captured' && keptMinor <= 0n;
      // A canceled one has freed its slot already.
      if (payment.state !== 'canceled' && !isBack) {
        return yield* err(conflict('notRefunded', 'The charge has not gone back in full.'));
      }
      for (const id of slotIdsOf(payment)) {
        const ledger = yield* await ports.store.ledgers.get(id);
        if (ledger.chargeId !== payment.id) continue;
        const by = yield* await actorOf(ports);
        const at = ports.clock.now();
        const { changes } = touchPayment(ports, payment, at, 'host', [], 'slotFreed', by);
        yield* await commit(ports, [...changes, ...slotChange(payment, 'free')]);
      }
      return viewCharge(asCharge(payment));
    },
  }),
};

function asCharge(payment: OpenedPayment): OpenedCharge {
  return payment as OpenedCharge; // cast: the callers have filtered by `isCharge`
}

/** A method that its customer has withdrawn. */
export interface ReleasedPaymentMethod {
  readonly paymentMethodSetupId: string;
  /** No charge began after it. */
  readonly releasedAt: string;
}

export const releasePaymentMethod = {
  /**
   * Withdraws a saved method: no charge of it begins any more. A charge under way ends first: until then
   * it is 409 `running`, and the same call later returns the end. For the setup's customer or a system
   * administrator.
   *
   * @example
   * const released = await chairside.releasePaymentMethod(customer, {
   *   paymentMethodSetupId: 'pms_01h',
   * });
   */
  releasePaymentMethod: hostOperation<
    { readonly paymentMethodSetupId: string },
    ReleasedPaymentMethod
  >()({
    problems: ['forbidden', 'notFound', 'conflict'],
    async *run({ ports, auth }, { paymentMethodSetupId }) {
      const setup = yield* findOwnSetup(ports, auth, paymentMethodSetupId);
      const { releasedAt = ports.clock.now() } = setup;
      // Durable before the question for a charge under way, so that none begins in between.
      if (setup.releasedAt === undefined) {
        const nextCheckAt = setup.nextCheckAt ?? releasedAt + keyRetentionMs;
        const { actor, requestId } = yield* await actorOf(ports);
        yield* await writeSetup(ports, setup, {
          ...setup,
          releasedAt,
          ...(actor !== undefined && { releasedBy: actor }),
          ...(requestId !== undefined && { releasedRequestId: requestId }),
          nextCheckAt,
        });
      }
      if ((yield* readMethodUse(ports, setup)) === 'underWay') return yield* err(running());
      return { paymentMethodSetupId: setup.id, releasedAt: formatTimestamp(releasedAt) };
    },
  }),
};
