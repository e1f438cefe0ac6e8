import { type HttpBindings, serve } from '@hono/node-server';
import { Hono } from 'hono';
import { openProcessor } from './processor.ts';
import { openShop } from './shop.ts';

const payer = openProcessor();
const shop = await openShop(payer);
const app = new Hono();

app.mount('/payments', (request, { incoming }: HttpBindings) => {
  const ip = incoming.socket.remoteAddress; // failed logins are counted by it: behind a proxy, see the README
  return shop.payments.fetch(Object.assign(request, { ip }));
});
app.get('/appointments', async (context) => context.json(await shop.appointments.list()));
//#if fake
app.post('/tap', async (context) =>
  context.json(payer.tap((await context.req.json()).clientSecret)),
);
//#end

const port = Number(process.env['PORT'] ?? 3100);
const server = serve({ fetch: app.fetch, port, hostname: '127.0.0.1' });
console.log(`listening on ${port}`);
process.once('SIGTERM', () => server.close(shop.close));
