import { buildOpenApi, type OpenApiOptions } from './openapi/build.ts';
import type { OpenApiDocument } from './openapi/document.ts';
import { type Route, route } from './route.ts';

/**
 * Whose a payment is, over HTTP, which a host switches on (`shares: true`). It is not in the published interface
 * (D208).
 */
export const shareRoutes: readonly Route[] = [
  route('sharePayment', 'POST /contactlessPayments/{contactlessPaymentId}/shares', { status: 201 }),
  route('listShares', 'GET /appointments/{appointmentId}/shares'),
];

/** Builds the document of shares, which a host may switch on (D208). */
export function buildSharesOpenApi(
  options: Pick<OpenApiOptions, 'problemBase' | 'serverUrl' | 'tips'> = {},
): OpenApiDocument {
  return buildOpenApi({ ...options, routes: shareRoutes, shares: true, about });
}

const about = {
  title: 'Chairside shares',
  summary: 'Whose a captured payment is',
  description: `
Payments that belong to several visits or barbers. A service may serve these operations beside the published interface
of Chairside, under the same address and with the same authentication. The create of a payment then takes \`alsoPays\`
as well, and payments show \`shares\`.
`.trim(),
};
