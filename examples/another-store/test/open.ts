import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openAnotherStore } from '../src/store.ts';

/** An empty store in a folder that only it uses. */
export function openInFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'chairside-another-'));
  const open = () => openAnotherStore(join(folder, 'records.db'), () => {});
  return { store: open(), open, remove: () => rmSync(folder, { recursive: true }) };
}
