import { chargeRoutes } from '../charge-routes.ts';
import { buildOpenApi, type OpenApiOptions } from './build.ts';
import type { OpenApiDocument } from './document.ts';

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
