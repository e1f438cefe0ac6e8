import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { openProcessor } from '../src/processor.ts';

/** The fake processor with books of its own. */
export function openTerminal() {
  const folder = mkdtempSync(join(tmpdir(), 'fake-'));
  after(() => rmSync(folder, { recursive: true }));
  return openProcessor(join(folder, 'shop.fake.ndjson'));
}
