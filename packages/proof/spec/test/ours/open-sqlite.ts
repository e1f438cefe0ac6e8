import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from '@chairside/sqlite';
import type { OpenedStore } from '../../src/variants.ts';

// Flushing to a disk took a third of the specs' time, and they say nothing about it.
const inMemory = '/dev/shm';
const root = existsSync(inMemory) ? inMemory : tmpdir();

/** An empty store in a file, which goes with it. */
export function openSqliteFile(): OpenedStore {
  const folder = mkdtempSync(join(root, 'chairside-spec-'));
  const opened = openSqliteStore(join(folder, 'chairside.db'));
  if (opened.isErr()) throw new Error(opened.error.message);
  const store = opened.value;
  return {
    store,
    dispose: async () => {
      await store.close();
      rmSync(folder, { recursive: true });
    },
  };
}
