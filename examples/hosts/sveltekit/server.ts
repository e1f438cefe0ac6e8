import { createServer, type RequestListener } from 'node:http';
import { json } from 'node:stream/consumers';
import { chairsideHandler } from '@chairside/h3';
import { nodeListener } from '@chairside/h3/node';
import * as v from 'valibot';
import { authenticate, chairside, close, port, tap } from '../shop/on-disk.ts';

/** What `vite build` has made. */
const built = new URL('./build/handler.js', import.meta.url).href;
const { handler: pages }: { readonly handler: RequestListener } = await import(built);

// #region mount
const handler = chairsideHandler(chairside, { authenticate, basePath: '/payments' });
const payments = nodeListener(handler); // not a route: SvelteKit refuses a POST without content type
// #endregion

const tapSchema = v.object({ clientSecret: v.string() });

const server = createServer(async (request, response) => {
  const { url = '', method } = request;
  if (/^\/payments(?:[/?]|$)/.test(url)) return payments(request, response);
  if (url !== '/tap' || method !== 'POST') return pages(request, response);
  const { clientSecret } = v.parse(tapSchema, await json(request));
  response.setHeader('content-type', 'application/json').end(JSON.stringify(tap(clientSecret)));
});
server.listen(port, '127.0.0.1');
process.once('SIGTERM', () => server.close(() => void close()));
