import { openProcessor } from './processor.ts';
import { openShop } from './shop.ts';

async function open() {
  const payer = openProcessor();
  return { ...(await openShop(payer)), payer };
}

/**
 * Opened when the server starts, not when this module loads: `next build` loads the routes too.
 * Next.js loads a module once for each route, so `globalThis` holds the one shop.
 */
export function shop(): ReturnType<typeof open> {
  const holder = globalThis as { shop?: ReturnType<typeof open> | undefined };
  holder.shop ??= open().catch((error) => {
    holder.shop = undefined; // the next request tries again
    throw error;
  });
  return holder.shop;
}
