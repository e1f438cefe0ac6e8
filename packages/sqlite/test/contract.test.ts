import { storeContract } from '@chairside/testkit/contracts';
import { holdFile, newPath, openStore } from './helpers.ts';

const noServer = 'SQLite runs inside the process';
const without = { loseReply: noServer, stall: noServer, kill: noServer, restart: noServer };

storeContract(
  'The SQLite store',
  async () => {
    const path = newPath();
    return {
      store: openStore(path),
      second: async () => openStore(path),
      reopen: async () => openStore(path),
      hold: () => holdFile(path),
    };
  },
  without,
);

storeContract(
  'The SQLite store in memory',
  async () => ({
    store: openStore(':memory:'),
    inMemory: 'the database is gone with its connection',
  }),
  {
    ...without,
    second: 'another connection has another database',
    hold: 'no other connection can lock it',
  },
);
