import { chairsideHandler } from '@chairside/h3';
import { authenticate, chairside, close, port, tap } from '../shop/on-disk.ts';

// #region mount
const payments = chairsideHandler(chairside, { authenticate, basePath: '/payments' });
// #endregion

const server = Deno.serve({ port, hostname: '127.0.0.1' }, async (request) => {
  const { pathname } = new URL(request.url);
  if (pathname === '/') return new Response('Marlow & Sons, barbers');
  if (pathname === '/tap') return Response.json(tap((await request.json()).clientSecret));
  return payments.fetchWithBasePath(request);
});
process.once('SIGTERM', () => server.shutdown().then(close));
