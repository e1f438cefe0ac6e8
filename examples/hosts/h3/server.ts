import { chairsideHandler } from '@chairside/h3';
import { createNodeServer } from '@chairside/h3/node';
import { H3 } from 'h3';
import { authenticate, chairside, close, port, tap } from '../shop/on-disk.ts';

const app = new H3({ allowMalformedURL: true }); // else h3 itself answers a path such as /%zz

// #region mount
const payments = chairsideHandler(chairside, { authenticate, basePath: '/payments' });
app.mount('/payments', payments.fetch); // `payments.fetch`, so that errors stay problems
// #endregion

app.get('/', () => 'Marlow & Sons, barbers');
app.post('/tap', async ({ req }) => tap((await req.json()).clientSecret));

const server = createNodeServer({ fetch: app.fetch, refuse: payments.refuse });
await server.listen(port);
process.once('SIGTERM', () => server.close().then(close));
