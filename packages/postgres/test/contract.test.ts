import { storeContract } from '@chairside/testkit/contracts';
import { empty, newPool, newSchema, openStore } from './helpers.ts';

const pool = newPool();
const schema = newSchema();

storeContract('The PostgreSQL store', async () => {
  await empty(schema);
  return { store: await openStore({ schema }, pool), reopen: () => openStore({ schema }, pool) };
});
