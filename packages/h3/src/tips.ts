import { type OperationFacts, operations } from '@chairside/core';
import { buildOpenApi, type OpenApiOptions } from './openapi/build.ts';
import type { OpenApiDocument } from './openapi/document.ts';
import { refundRoutes } from './refunds.ts';
import type { Route } from './route.ts';
import { routes } from './routes.ts';

/** The row with tips, if its operation may have one (D48). */
export function withTips(row: Route): Route {
  const tipped: { readonly [name: string]: OperationFacts | undefined } = operations.tips;
  const facts = tipped[row.operation];
  return facts === undefined ? row : { ...row, ...facts, tips: true };
}

/**
 * Payments and refunds over HTTP where a host switches tips on (`tips: true`). Refunds need their own
 * switch too. The published interface has no tips (D48).
 */
export const tipRoutes: readonly Route[] = [...routes, ...refundRoutes]
  .map(withTips)
  .filter(({ tips }) => tips === true);

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
