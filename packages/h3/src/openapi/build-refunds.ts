import { refundRoutes } from '../refund-routes.ts';
import { buildOpenApi, type OpenApiOptions } from './build.ts';
import type { OpenApiDocument } from './document.ts';

/** Builds the extension document: the routes that a host may switch on beside the interface (D44). */
export function buildRefundsOpenApi(
  options: Pick<OpenApiOptions, 'problemBase' | 'serverUrl'> = {},
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
