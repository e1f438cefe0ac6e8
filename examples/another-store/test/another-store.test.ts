import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storeContract } from '@chairside/testkit/contracts';
import { afterEach } from 'vitest';
import { openAnotherStore } from '../src/store.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const noServer = 'SQLite runs inside the process';

storeContract(
  'The store over node:sqlite',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'chairside-another-'));
    folders.push(folder);
    const open = () => openAnotherStore(join(folder, 'records.db'), () => {});
    return { store: open(), second: async () => open(), reopen: async () => open() };
  },
  { loseReply: noServer, stall: noServer, kill: noServer, restart: noServer },
);
