import { storeContract } from '@chairside/testkit/contracts';
import { afterEach } from 'vitest';
import { openInFolder } from './open.ts';

const folders: (() => void)[] = [];
afterEach(() => {
  for (const remove of folders.splice(0)) remove();
});

const noServer = 'SQLite runs inside the process';

storeContract(
  'The store over node:sqlite',
  async () => {
    const { store, open, hold, remove } = openInFolder();
    folders.push(remove);
    return { store, second: async () => open(), reopen: async () => open(), hold };
  },
  { loseReply: noServer, stall: noServer, kill: noServer, restart: noServer },
);
