import { buildOpenApi, type OpenApiOptions } from './openapi/build.ts';
import type { OpenApiDocument } from './openapi/document.ts';
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

/** Builds the document of the charges of saved methods, which a host may switch on (D49). */
export function buildChargesOpenApi(
  options: Pick<OpenApiOptions, 'problemBase' | 'serverUrl'> = {},
): OpenApiDocument {
  return buildOpenApi({ ...options, routes: chargeRoutes, about });
}

const about = {
  title: 'Chairside charges',
  summary: 'Deposits and no-show fees, charged to a saved payment method',
  description: `
Charges of saved payment methods, without their customers. A service may serve these operations beside the
published interface of Chairside, under the same address and with the same authentication.
`.trim(),
};
