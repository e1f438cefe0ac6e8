import { nodeListener } from '@chairside/h3/node';
import express from 'express';
import { openProcessor } from './processor.ts';
import { openShop } from './shop.ts';

const payer = openProcessor();
const shop = await openShop(payer);
const app = express();

app.use('/payments', nodeListener(shop.payments)); // before express.json()
app.get('/appointments', async (_, response) => {
  response.json(await shop.appointments.list());
});
//#if fake
app.post('/tap', express.json(), ({ body }, response) => {
  response.json(payer.tap(body.clientSecret));
});
//#end

const port = Number(process.env['PORT'] ?? 3100);
const server = app.listen(port, '127.0.0.1', (error) => {
  if (error) throw error; // another server has the port: set PORT
  console.log(`listening on ${port}`);
});
process.once('SIGTERM', () => server.close(shop.close));
