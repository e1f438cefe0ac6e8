import { chairsideHandler } from '@chairside/h3';
import { nodeListener } from '@chairside/h3/node';
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { authenticate, chairside, close, port, tap } from '../shop/on-disk.ts';

const app = fastify();

// #region mount
const payments = nodeListener(chairsideHandler(chairside, { authenticate, basePath: '/payments' }));
const onRequest = ({ raw }: FastifyRequest, reply: FastifyReply) => {
  return payments(raw, reply.hijack().raw); // before Fastify reads the body
};
app.all('/payments/*', { onRequest }, () => {});
// #endregion

app.get('/', () => 'Marlow & Sons, barbers');
app.post<{ Body: { clientSecret: string } }>('/tap', ({ body }) => tap(body.clientSecret));

await app.listen({ port, host: '127.0.0.1' });
process.once('SIGTERM', () => app.close().then(close));
