import { storeContract } from '@chairside/testkit/contracts';
import { newPath, openStore } from './helpers.ts';

storeContract('The SQLite store', async () => {
  const path = newPath();
  return { store: openStore(path), reopen: async () => openStore(path) };
});

storeContract('The SQLite store in memory', async () => ({
  store: openStore(':memory:'),
  inMemory: 'the database is gone with its connection',
}));
