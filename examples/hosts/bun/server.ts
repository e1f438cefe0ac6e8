import { chairsideHandler } from '@chairside/h3';
import { authenticate, chairside, close, port, tap } from '../shop/on-disk.ts';

// #region mount
const payments = chairsideHandler(chairside, { authenticate, basePath: '/payments' });
// #endregion

const server = Bun.serve({
  port,
  hostname: '127.0.0.1',
  routes: {
    '/': new Response('Marlow & Sons, barbers'),
    '/tap': { POST: async (request) => Response.json(tap((await request.json()).clientSecret)) },
  },
  fetch: payments.fetchWithBasePath,
});
process.once('SIGTERM', () => server.stop().then(close));
