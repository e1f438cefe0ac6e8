import { createNodeServer } from '@chairside/h3/node';
import { H3 } from 'h3';
import { openProcessor } from './processor.ts';
import { openShop } from './shop.ts';

const payer = openProcessor();
const shop = await openShop(payer);
const app = new H3({ allowMalformedURL: true }); // else h3 itself answers a path such as /%zz

app.mount('/payments', shop.payments.fetch); // `payments.fetch`, so that errors stay problems
app.get('/appointments', () => shop.appointments.list());
//#if fake
app.post('/tap', async ({ req }) => payer.tap(JSON.parse(await req.text()).clientSecret));
//#end

const port = Number(process.env['PORT'] ?? 3100);
const server = createNodeServer({ fetch: app.fetch, refuse: shop.payments.refuse });
await server.listen(port);
console.log(`listening on ${port}`);
process.once('SIGTERM', () => server.close().then(shop.close));
