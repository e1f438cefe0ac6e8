import { buildOpenApi, type OpenApiOptions } from './openapi/build.ts';
import type { OpenApiDocument } from './openapi/document.ts';
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

/** Builds the document of refunds, which a host may switch on (D44). */
export function buildRefundsOpenApi(
  options: Pick<OpenApiOptions, 'problemBase' | 'serverUrl' | 'tips' | 'shares'> = {},
): OpenApiDocument {
  return buildOpenApi({ ...options, routes: refundRoutes, about });
}

const about = {
  title: 'Chairside refunds',
  summary: 'Refunds of in-person card payments',
  description: `
Refunds of captured card payments. A service may serve these operations beside the published interface
of Chairside, under the same address and with the same authentication.
`.trim(),
};
