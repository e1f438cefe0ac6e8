import { refundPaymentBodySchema, refundSchema, refundsSchema } from '../refund.ts';
import { type Example, shape } from './shape.ts';
import { count, created, updated } from './shared.ts';

const refund: Example<typeof refundSchema> = {
  id: 'rfd_01jd3zk8q0e5v9h2m7x4r6t1bf',
  contactlessPaymentId: 'cpm_01jd3zk8q0e5v9h2m7x4r6t1bc',
  amount: '10.00',
  currency: 'eur',
  state: 'failed',
  origin: 'here',
  reason: 'The cut was too short',
  failure: 'lost_or_stolen_card',
  createdAt: '2026-11-20T10:30:00.000Z',
  updatedAt: '2026-11-22T10:30:00.000Z',
};

const { failure: _, ...withoutFailure } = refund;
/** A refund at the moment of most responses. */
export const refundedExample = {
  ...withoutFailure,
  state: 'succeeded',
  updatedAt: '2026-11-20T10:30:01.000Z',
} as const;

export const refundShapes = {
  Refund: shape(
    refundSchema,
    {
      about: 'A refund of a captured payment.',
      properties: {
        id: 'The id of the refund.',
        contactlessPaymentId: 'The id of the payment.',
        amount: 'The refunded amount.',
        currency: 'The currency of the payment.',
        state: 'The state of the refund.',
        origin: 'Where the refund was made.',
        reason: 'The reason that the shop gave.',
        failure: "The processor's reason why it failed. Present only in a failed refund.",
        createdAt: created,
        updatedAt: updated,
      },
    },
    refund,
  ),
  Refunds: shape(
    refundsSchema,
    {
      about: 'The refunds of a payment, and the rest that can be refunded.',
      properties: {
        items: 'The refunds, oldest first, including those that were made at the processor.',
        count,
        captured: 'The captured amount, by the processor.',
        refundable:
          'The amount that can still be refunded: captured, less refunds and less open or lost disputes.',
      },
    },
    { items: [refundedExample], count: 1, captured: '45.00', refundable: '35.00' },
  ),
  RefundState: shape(
    refundSchema.entries.state,
    'The state of a refund. A `pending` refund reserves its amount. A `succeeded` one may still fail later. `failed` and `canceled` refunds return their amount to the refundable rest.',
    refundedExample.state,
  ),
  RefundOrigin: shape(
    refundSchema.entries.origin,
    '`here`: made by this service. `elsewhere`: made at the processor.',
    refund.origin,
  ),
  Currency: shape(
    refundSchema.entries.currency,
    'A currency: three lower-case letters of ISO 4217.',
    refund.currency,
  ),
  RefundPayment: shape(
    refundPaymentBodySchema,
    {
      about: 'The amount to refund, and why.',
      properties: {
        amount: 'The amount to refund. Default: all that can still be refunded.',
        reason: 'The reason of the refund. It is stored, and shown with the refund.',
      },
    },
    { amount: refund.amount, reason: refund.reason },
  ),
};
