import { nodeListener } from '@chairside/h3/node';
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { openProcessor } from './processor.ts';
import { openShop } from './shop.ts';

const payer = openProcessor();
const shop = await openShop(payer);
const app = fastify();

const payments = nodeListener(shop.payments);
const onRequest = ({ raw }: FastifyRequest, reply: FastifyReply) => {
  return payments(raw, reply.hijack().raw); // before Fastify reads the body
};
app.all('/payments/*', { onRequest }, () => {});
app.get('/appointments', () => shop.appointments.list());
//#if fake
app.post<{ Body: { clientSecret: string } }>('/tap', ({ body }) => payer.tap(body.clientSecret));
//#end

const port = Number(process.env['PORT'] ?? 3100);
await app.listen({ port, host: '127.0.0.1' });
console.log(`listening on ${port}`);
process.once('SIGTERM', () => app.close().then(shop.close));
