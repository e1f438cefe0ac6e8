import { tipRoutes } from '../tip-routes.ts';
import { buildOpenApi, type OpenApiOptions } from './build.ts';
import type { OpenApiDocument } from './document.ts';

/** Builds the document of the operations that may have a tip, which a host may switch on (D48). */
export function buildTipsOpenApi(
  options: Pick<OpenApiOptions, 'problemBase' | 'serverUrl'> = {},
): OpenApiDocument {
  return buildOpenApi({ ...options, routes: tipRoutes, about });
}

const about = {
  title: 'Chairside tips',
  summary: 'In-person card payments and their refunds, with tips',
  description: `
Card payments with a tip, and their refunds. A service that has switched tips on serves these operations in
place of those of the published interface of Chairside, under the same address and with the same
authentication. It serves refunds only if it has switched them on too.
`.trim(),
};
