import type * as v from 'valibot';
import {
  createTippedPaymentBodySchema,
  tippedPaymentSchema,
  tippedPaymentsSchema,
} from '../contactless-payment.ts';
import {
  refundTippedPaymentBodySchema,
  tippedRefundSchema,
  tippedRefundsSchema,
} from '../refund.ts';
import { contactlessPaymentShapes, createdPaymentExample } from './contactless-payment.ts';
import { refundedExample, refundShapes } from './refund.ts';
import type { Shape, Shapes } from './shape.ts';

// The shapes of D48, made of those without tips.

/** A shape with further texts and examples, by the names of their members. */
function extended(
  { about, example, properties }: Shape<object>,
  schema: v.GenericSchema,
  members: Readonly<Record<string, readonly [text: string, example: unknown]>>,
): Shape<object> {
  const added = Object.entries(members);
  const texts = Object.fromEntries(added.map(([name, [text]]) => [name, text]));
  const examples = Object.fromEntries(added.map(([name, [, one]]) => [name, one]));
  return {
    schema,
    about,
    example: { ...example, ...examples },
    properties: { ...properties, ...texts },
  };
}

const amount = ['The amount to collect, the tip included.', '50.00'] as const;
const tip = ['The part of the amount that is tip. Absent without a tip.', '5.00'] as const;
const tipAsked = [
  'The part of the amount that is tip. Default: none. Without an `amount` it is added to the remaining balance.',
  '5.00',
] as const;
const refundedTip = ['The part of the refund that is tip. Absent without one.', '2.00'] as const;

const { ContactlessPayment, ContactlessPayments, CreateContactlessPayment, ...otherPaymentShapes } =
  contactlessPaymentShapes;
const tippedPayment = extended(ContactlessPayment, tippedPaymentSchema, { amount, tip });

/** A payment with a tip at the moment of its creation. */
export const createdTippedExample = {
  ...createdPaymentExample,
  amount: amount[1],
  tip: tip[1],
};

export const tippedPaymentShapes: Shapes = {
  TippedPayment: tippedPayment,
  TippedPayments: extended(ContactlessPayments, tippedPaymentsSchema, {
    items: ['The payments, oldest first.', [tippedPayment.example]],
  }),
  CreateTippedPayment: extended(CreateContactlessPayment, createTippedPaymentBodySchema, {
    amount: [
      'All that the card is charged, the tip included. Default: the remaining balance and the tip.',
      amount[1],
    ],
    tip: tipAsked,
  }),
  ...otherPaymentShapes,
};

const { Refund, Refunds, RefundPayment, ...otherRefundShapes } = refundShapes;
/** A refund with a tip at the moment of most responses. */
export const refundedTippedExample = { ...refundedExample, tip: refundedTip[1] };

export const tippedRefundShapes: Shapes = {
  TippedRefund: extended(Refund, tippedRefundSchema, { tip: refundedTip }),
  TippedRefunds: extended(Refunds, tippedRefundsSchema, {
    items: [
      'The refunds, oldest first, including those that were made at the processor.',
      [refundedTippedExample],
    ],
    refundableTip: ['The part of `refundable` that is tip. Absent if no tip is left.', '3.00'],
  }),
  RefundTippedPayment: extended(RefundPayment, refundTippedPaymentBodySchema, {
    tip: [
      'The part of the refund that is tip, at most `refundableTip`. Default: the tip goes back last. Without an `amount` it is added to the rest that is not tip.',
      refundedTip[1],
    ],
  }),
  ...otherRefundShapes,
};
