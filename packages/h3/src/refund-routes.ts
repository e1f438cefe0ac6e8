import { type Route, route } from './route.ts';

/**
 * Refunds over HTTP, which a host switches on (`refunds: true`). They are not in the published interface
 * (D44).
 */
export const refundRoutes: readonly Route[] = [
  route('refundPayment', 'POST /contactlessPayments/{contactlessPaymentId}/refunds', {
    status: 201,
    location: '/contactlessPayments/{contactlessPaymentId}/refunds/{id}',
  }),
  route('listRefunds', 'GET /contactlessPayments/{contactlessPaymentId}/refunds'),
  route('getRefund', 'GET /contactlessPayments/{contactlessPaymentId}/refunds/{refundId}'),
];
