import { chairsideHandler } from '@chairside/h3';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { authenticate, chairside, close, port, tap } from '../shop/on-disk.ts';

const app = new Hono();

// #region mount
const payments = chairsideHandler(chairside, { authenticate, basePath: '/payments' });
app.mount('/payments', payments.fetch);
// #endregion

app.get('/', (context) => context.text('Marlow & Sons, barbers'));
app.post('/tap', async (context) => context.json(tap((await context.req.json()).clientSecret)));

const server = serve({ fetch: app.fetch, port, hostname: '127.0.0.1' });
process.once('SIGTERM', () => server.close(close));
