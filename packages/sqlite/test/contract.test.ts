import { storeContract } from '@chairside/testkit/contracts';
import { holdFile, newPath, openFailingDisk, openStore } from './helpers.ts';

const noServer = 'SQLite runs inside the process';
const without = {
  ...{ loseReply: noServer, cutOff: noServer, delayRequest: noServer },
  ...{ stall: noServer, kill: noServer, restart: noServer },
};

storeContract(
  'The SQLite store',
  async () => {
    const path = newPath();
    const { db, failFlush, reopen } = openFailingDisk(path);
    return {
      store: openStore(db),
      second: async () => openStore(path),
      reopen: async () => reopen(),
      hold: () => holdFile(path),
      failFlush,
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
    failFlush: 'it writes no file',
  },
);
