import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { chairsideHandler } from '@chairside/h3';
import { openSqliteStore } from '@chairside/sqlite';
import { openShop } from '../../shop/shop.ts';

async function open() {
  const opened = openSqliteStore(process.env['DATABASE'] ?? ':memory:');
  if (opened.isErr()) throw new Error(opened.error.message);
  const stopping = once(process, 'SIGTERM').then(() => delay(100)); // for a test of the shutdown
  const { authenticate, chairside, tap } = await openShop(opened.value, () => stopping);
  // #region mount
  const payments = chairsideHandler(chairside, { authenticate, basePath: '/payments' });
  // #endregion
  return { payments, tap };
}

/**
 * Opened when the server starts, not when this module loads: `next build` loads the routes too.
 * Next.js loads a module once for each route, so `globalThis` holds what must be there once.
 */
export function shop(): ReturnType<typeof open> {
  // cast: a place for one more property
  const holder = globalThis as { shop?: ReturnType<typeof open> | undefined };
  holder.shop ??= open().catch((error) => {
    holder.shop = undefined; // the next request tries again
    throw error;
  });
  return holder.shop;
}
