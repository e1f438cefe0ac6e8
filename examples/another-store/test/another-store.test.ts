import { storeContract } from '@chairside/testkit/contracts';
import { afterEach } from 'vitest';
import { failingDisk } from './failing-disk.ts';
import { openInFolder } from './open.ts';

const folders: (() => void)[] = [];
afterEach(() => {
  for (const remove of folders.splice(0)) remove();
});

const noServer = 'SQLite runs inside the process';

storeContract(
  'The store over node:sqlite',
  async () => {
    const { store, open, hold, path, remove } = openInFolder();
    const { failFlush, restore } = failingDisk(path);
    const reopen = async () => {
      restore();
      return open();
    };
    folders.push(remove);
    return { store, second: async () => open(), reopen, hold, failFlush };
  },
  {
    ...{ loseReply: noServer, cutOff: noServer, delayRequest: noServer },
    ...{ stall: noServer, kill: noServer, restart: noServer },
  },
);
