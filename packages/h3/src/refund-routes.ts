import { type Route, route } from './route.ts';

/**
 * Refunds over HTTP, which a host switches on (`refunds: true`). They are not in the published interface
 * (D44).
 */
export const refundRoutes: readonly Route[] = [
  route({
    operation: 'refundPayment',
    method: 'POST',
    path: '/contactlessPayments/{contactlessPaymentId}/refunds',
    status: 201,
    location: '/contactlessPayments/{contactlessPaymentId}/refunds/{id}',
  }),
  route({
    operation: 'listRefunds',
    method: 'GET',
    path: '/contactlessPayments/{contactlessPaymentId}/refunds',
    status: 200,
  }),
  route({
    operation: 'getRefund',
    method: 'GET',
    path: '/contactlessPayments/{contactlessPaymentId}/refunds/{refundId}',
    status: 200,
  }),
];
