import { type OperationFacts, operations } from '@chairside/core';
import { refundRoutes } from './refund-routes.ts';
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
