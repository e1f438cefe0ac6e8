import { buildOpenApi, type OpenApiOptions } from './openapi/build.ts';
import type { OpenApiDocument } from './openapi/document.ts';
import { type Route, route } from './route.ts';

/**
 * Receipts over HTTP, which a host switches on (`receipts: true`). They are not in the published interface
 * (D203).
 */
export const receiptRoutes: readonly Route[] = [
  route('getReceipt', 'GET /contactlessPayments/{contactlessPaymentId}/receipt'),
];

/** Builds the document of receipts, which a host may switch on (D203). */
export function buildReceiptsOpenApi(
  options: Pick<OpenApiOptions, 'problemBase' | 'serverUrl' | 'tips' | 'shares'> = {},
): OpenApiDocument {
  return buildOpenApi({ ...options, routes: receiptRoutes, about });
}

const about = {
  title: 'Chairside receipts',
  summary: 'Receipts of in-person card payments',
  description: `
What a receipt of a captured card payment must show. A service may serve this operation beside the published
interface of Chairside, under the same address and with the same authentication.
`.trim(),
};
