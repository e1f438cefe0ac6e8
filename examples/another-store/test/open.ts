import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { openAnotherStore } from '../src/store.ts';

/** An empty store in a folder that only it uses. */
export function openInFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'chairside-another-'));
  const path = join(folder, 'records.db');
  const open = () => openAnotherStore(path, () => {});
  /** Another connection takes the write lock; a commit that meets it tries again soon. */
  async function hold() {
    const other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    return { waitedFor: () => wait(20), release: async () => other.close() };
  }
  return { store: open(), open, hold, path, remove: () => rmSync(folder, { recursive: true }) };
}
