import { chairsideHandler } from '@chairside/h3';
import { createMapStore } from '@chairside/testkit';
import { openShop } from '../shop/shop.ts';

const delay = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

let opened: ReturnType<typeof open> | undefined;

/** A store in memory ends with the worker: for real money pass one that lasts. */
async function open() {
  const { authenticate, chairside, tap } = await openShop(createMapStore(), () => delay(500));
  // #region mount
  const payments = chairsideHandler(chairside, { authenticate, basePath: '/payments' });
  // #endregion
  return { payments, tap };
}

export default {
  async fetch(request: Request): Promise<Response> {
    // Here, since a worker may not do I/O while it loads. After a failure the next request tries again.
    opened ??= open().catch((error) => {
      opened = undefined;
      throw error;
    });
    const { payments, tap } = await opened;
    const { pathname } = new URL(request.url);
    if (pathname === '/') return new Response('Marlow & Sons, barbers');
    if (pathname === '/tap') return Response.json(tap(Object(await request.json()).clientSecret));
    return payments.fetchWithBasePath(request);
  },
};
