import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';

it('keeps every payment when a node is killed in the middle', async () => {
  const main = join(import.meta.dirname, '..', 'src', 'main.ts');
  const child = spawn(process.execPath, ['--conditions=@chairside/source', main]);
  const [told, complaints, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  expect(told, complaints).toMatch(/^Node \d is killed/m);
  expect(told).toMatch(/^24 of 24 payments are charged at the processor, 45\.00 each\.$/m);
  expect(told, complaints).toMatch(/^Nothing was lost, and nothing was charged twice\.$/m);
  expect(code).toBe(0);
}, 120_000);
