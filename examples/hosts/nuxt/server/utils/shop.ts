import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { chairsideHandler } from '@chairside/h3';
import { openSqliteStore } from '@chairside/sqlite';
import { openShop } from '../../../shop/shop.ts';

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

let shopOfAll: ReturnType<typeof open> | undefined;

/** Opened by the first request: `nuxt build` must open no database. */
export function shop(): ReturnType<typeof open> {
  shopOfAll ??= open().catch((error) => {
    shopOfAll = undefined; // the next request tries again
    throw error;
  });
  return shopOfAll;
}
