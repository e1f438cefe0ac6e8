// The operations of payments and refunds where a host has switched tips on (D48). They run as those of the
// published interface do, and only their bodies and results may have a `tip`.
import type { Operation, OperationFacts } from '../../call/operation.ts';
import type { ProblemType } from '../../domain/problem-types.ts';
import {
  type TippedPayment,
  type TippedPayments,
  tippedPaymentSchema,
  tippedPaymentsSchema,
} from '../../schemas/contactless-payment.ts';
import {
  type TippedRefundsView,
  type TippedRefundView,
  tippedRefundSchema,
  tippedRefundsSchema,
} from '../../schemas/refund.ts';
import {
  refundedTippedExample,
  tippedPaymentShapes,
  tippedRefundShapes,
} from '../../schemas/shapes/tips.ts';
import { captureContactlessPayment } from '../captureContactlessPayment.ts';
import { createTippedPayment } from '../createContactlessPayment.ts';
import { payments } from '../payments.ts';
import { refundTippedPayment } from '../refunds/refundPayment.ts';
import { refundReads } from '../refunds/refunds.ts';

/** The same operation, whose result may have a tip. Its views fill in the tip already. */
function tipped<Output>() {
  return <Input, P extends ProblemType>(
    base: Operation<Input, Output, P>,
    facts: Pick<OperationFacts, 'output' | 'shapes' | 'example'>,
  ): Operation<Input, Output, P> => ({ ...base, ...facts });
}

export const tippedOperations = {
  /** Payments and refunds with tips, for hosts that have switched tips on (D48). */
  tips: {
    /**
     * Opens a card payment with a `tip`, the part of its `amount` that the appointment does not owe. Without
     * an `amount` the payment collects what the appointment still owes, and the tip.
     *
     * @example
     * const opened = await chairside.tips.createContactlessPayment(barber, {
     *   appointmentId: 'haircut',
     *   idempotencyKey: crypto.randomUUID(),
     *   body: { tip: '5.00' },
     * });
     * if (opened.isOk()) console.log(opened.value.amount, opened.value.tip); // 50.00 5.00
     */
    createContactlessPayment: createTippedPayment,
    listContactlessPayments: tipped<TippedPayments>()(payments.listContactlessPayments, {
      output: tippedPaymentsSchema,
      shapes: tippedPaymentShapes,
    }),
    getContactlessPayment: tipped<TippedPayment>()(payments.getContactlessPayment, {
      output: tippedPaymentSchema,
      shapes: tippedPaymentShapes,
    }),
    captureContactlessPayment: tipped<TippedPayment>()(
      captureContactlessPayment.captureContactlessPayment,
      { output: tippedPaymentSchema, shapes: tippedPaymentShapes },
    ),
    /**
     * Refunds a captured payment, whole or in part. The tip goes back last, unless `tip` says how much of the
     * refund is tip.
     *
     * @example
     * const refunded = await chairside.tips.refundPayment(manager, {
     *   contactlessPaymentId: opened.id,
     *   idempotencyKey: crypto.randomUUID(),
     *   body: { amount: '10.00', tip: '2.00' },
     * });
     * if (refunded.isOk()) console.log(refunded.value.tip); // 2.00
     */
    refundPayment: refundTippedPayment,
    listRefunds: tipped<TippedRefundsView>()(refundReads.listRefunds, {
      output: tippedRefundsSchema,
      shapes: tippedRefundShapes,
    }),
    getRefund: tipped<TippedRefundView>()(refundReads.getRefund, {
      output: tippedRefundSchema,
      example: refundedTippedExample,
      shapes: tippedRefundShapes,
    }),
  },
};
