import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { chairsideHandler } from '@chairside/h3';
import { nodeListener } from '@chairside/h3/node';
import { authenticate, chairside, close, port, tap } from '../shop/on-disk.ts';

// #region mount
const payments = nodeListener(chairsideHandler(chairside, { authenticate, basePath: '/payments' }));
// #endregion

const server = createServer(async (request, response) => {
  const { url = '' } = request;
  if (url.startsWith('/payments/')) return payments(request, response);
  if (url === '/') return response.end('Marlow & Sons, barbers');
  if (url !== '/tap') return response.writeHead(404).end();
  const { clientSecret } = Object(await json(request));
  response.setHeader('content-type', 'application/json').end(JSON.stringify(tap(clientSecret)));
});
server.listen(port, '127.0.0.1');
process.once('SIGTERM', () => server.close(close));
