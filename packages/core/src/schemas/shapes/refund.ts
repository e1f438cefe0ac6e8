import { refundPaymentBodySchema, refundSchema, refundsSchema } from '../refund.ts';
import { objectShape, shape } from './shape.ts';
import { count } from './shared.ts';

const refundShape = objectShape(refundSchema, 'A refund of a captured payment.', {
  id: ['The id of the refund.', 'rfd_01jd3zk8q0e5v9h2m7x4r6t1bf'],
  contactlessPaymentId: ['The id of the payment.', 'cpm_01jd3zk8q0e5v9h2m7x4r6t1bc'],
  amount: ['The refunded amount.', '10.00'],
  currency: ['The currency of the payment.', 'eur'],
  state: ['The state of the refund.', 'failed'],
  origin: ['Where the refund was made.', 'here'],
  reason: ['The reason that the shop gave.', 'The cut was too short'],
  failure: [
    "The processor's reason why it failed. Present only in a failed refund.",
    'lost_or_stolen_card',
  ],
  createdAt: ['The time of creation.', '2026-11-20T10:30:00.000Z'],
  updatedAt: ['The time of the last change.', '2026-11-22T10:30:00.000Z'],
});

const { failure: _, ...withoutFailure } = refundShape.example;
/** A refund at the moment of most responses. */
export const refundedExample = {
  ...withoutFailure,
  state: 'succeeded',
  updatedAt: '2026-11-20T10:30:01.000Z',
} as const;

export const refundShapes = {
  Refund: refundShape,
  Refunds: objectShape(
    refundsSchema,
    'The refunds of a payment, and the rest that can be refunded.',
    {
      items: [
        'The refunds, oldest first, including those that were made at the processor.',
        [refundedExample],
      ],
      count,
      captured: ['The captured amount, by the processor.', '45.00'],
      refundable: [
        'The amount that can still be refunded: captured, less refunds and less open or lost disputes.',
        '35.00',
      ],
    },
  ),
  RefundState: shape(
    refundSchema.entries.state,
    'The state of a refund. A `pending` refund reserves its amount. A `succeeded` one may still fail later. `failed` and `canceled` refunds return their amount to the refundable rest.',
    refundedExample.state,
  ),
  RefundOrigin: shape(
    refundSchema.entries.origin,
    '`here`: made by this service. `elsewhere`: made at the processor.',
    refundShape.example.origin,
  ),
  Currency: shape(
    refundSchema.entries.currency,
    'A currency: three lower-case letters of ISO 4217.',
    refundShape.example.currency,
  ),
  RefundPayment: objectShape(refundPaymentBodySchema, 'The amount to refund, and why.', {
    amount: [
      'The amount to refund. Default: all that can still be refunded.',
      refundShape.example.amount,
    ],
    reason: [
      'The reason of the refund. It is stored, and shown with the refund.',
      refundShape.example.reason,
    ],
  }),
};
