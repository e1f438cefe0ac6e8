import { type Route, route } from './route.ts';

/**
 * Charges of saved methods over HTTP, which a host switches on (`charges: true`). They are not in the
 * published interface (D49).
 */
export const chargeRoutes: readonly Route[] = [
  route('chargePaymentMethod', 'POST /appointments/{appointmentId}/charges', {
    status: 201,
    location: '/charges/{id}',
  }),
  route('listCharges', 'GET /appointments/{appointmentId}/charges'),
  route('getCharge', 'GET /charges/{chargeId}'),
];
