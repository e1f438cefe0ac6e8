import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from '@chairside/sqlite';
import type { OpenedStore } from '../../src/variants.ts';

/** An empty store in a file, which goes with it. */
export function openSqliteFile(): OpenedStore {
  const folder = mkdtempSync(join(tmpdir(), 'chairside-spec-'));
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
