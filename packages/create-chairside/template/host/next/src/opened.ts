import { openProcessor } from './processor.ts';
import { openShop } from './shop.ts';

async function open() {
  const payer = openProcessor();
  return { ...(await openShop(payer)), payer };
}

/**
 * Opened by the first request: `next build` loads the routes too, and must open no database.
 * Next.js loads a module once for each route, so `globalThis` holds the one shop.
 */
export function shop(): ReturnType<typeof open> {
  const holder = globalThis as { shop?: ReturnType<typeof open> };
  holder.shop ??= open();
  return holder.shop;
}
