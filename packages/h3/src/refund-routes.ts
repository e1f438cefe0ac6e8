import { refundPaymentBodySchema, refundSchema, refundsSchema } from '@chairside/core';
import { type Route, route } from './route.ts';

/**
 * Refunds over HTTP, which a host switches on (`refunds: true`). They are not in the published interface
 * (D44).
 */
export const refundRoutes: readonly Route[] = [
  route({
    operation: 'refundPayment',
    summary: 'Refunds a captured payment, whole or in part',
    description:
      'Without an `amount` it refunds all that is left. Refunds never exceed what was captured. The same key returns the same refund, as it was first accepted.',
    tag: 'Refunds',
    method: 'POST',
    path: '/contactlessPayments/{contactlessPaymentId}/refunds',
    idempotencyKey: 'required',
    body: { schema: refundPaymentBodySchema, required: false },
    success: {
      status: 201,
      schema: refundSchema,
      location: '/contactlessPayments/{contactlessPaymentId}/refunds/{id}',
    },
    problems: [
      'badRequest',
      'forbidden',
      'notFound',
      'conflict',
      'unprocessableEntity',
      'paymentProviderNotSetup',
    ],
  }),
  route({
    operation: 'listRefunds',
    summary: 'Lists the refunds of a payment, and its refundable amount',
    description: 'The list includes refunds that were made at the processor.',
    tag: 'Refunds',
    method: 'GET',
    path: '/contactlessPayments/{contactlessPaymentId}/refunds',
    success: { status: 200, schema: refundsSchema },
    problems: ['forbidden', 'notFound'],
  }),
  route({
    operation: 'getRefund',
    summary: 'Reads a refund',
    description: 'Returns the refund as it was last seen. It does not read the processor.',
    tag: 'Refunds',
    method: 'GET',
    path: '/contactlessPayments/{contactlessPaymentId}/refunds/{refundId}',
    success: { status: 200, schema: refundSchema },
    problems: ['forbidden', 'notFound'],
  }),
];
