import { chairsideHandler } from '@chairside/h3';
import { nodeListener } from '@chairside/h3/node';
import express from 'express';
import { authenticate, chairside, close, port, tap } from '../shop/on-disk.ts';

const app = express();

// #region mount
const payments = chairsideHandler(chairside, { authenticate, basePath: '/payments' });
app.use('/payments', nodeListener(payments)); // before express.json()
// #endregion

app.get('/', (_, response) => void response.send('Marlow & Sons, barbers'));
app.post(
  '/tap',
  express.json(),
  ({ body }, response) => void response.json(tap(body.clientSecret)),
);

const server = app.listen(port, '127.0.0.1');
process.once('SIGTERM', () => server.close(close));
