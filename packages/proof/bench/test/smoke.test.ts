import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Args, readArgs } from '../src/args.ts';
import { closed, open } from '../src/compare.ts';
import { growth } from '../src/growth.ts';
import { createLoad } from '../src/load.ts';
import { soak, storms } from '../src/storms.ts';

const short = '--seconds 0.5 --warm-up 0.5 --rounds 1 --latency 5 --minutes 0.02';

test.each([
  ['closed --only chairside,postgresByHand', closed, 'chairside: capture'],
  ['closed --only drizzle,dbos', closed, 'dbos: create'],
  ['open --only 3', open, 'chairside: get'],
  ['growth --only sqlite --sizes 20,30', growth, 'idle upkeep (p50 / most)'],
  ['storms --only sqlite --sizes 20', (args: Args) => storms(args, 20), 'upkeep'],
  ['soak --only postgres', soak, 'heap MB'],
])('%s measures, and finds the captures in the database', async (command, run, row) => {
  const folder = mkdtempSync(join(tmpdir(), 'chairside-bench-'));
  onTestFinished(() => {
    vi.restoreAllMocks();
    rmSync(folder, { recursive: true });
  });
  const log = vi.spyOn(console, 'log').mockImplementation(() => {});
  const error = vi.spyOn(console, 'error').mockImplementation(() => {});

  await run(readArgs(`${command} ${short} --folder ${folder}`.split(' ')));

  expect(error.mock.calls.map(String).filter((line) => line.includes('wrong'))).toEqual([]);
  const lines = log.mock.calls.map(String).filter((line) => line.startsWith(`| ${row} `));
  const numbers = lines.flatMap((line) => line.split('|').map(Number.parseFloat));
  expect(numbers.filter((number) => number > 0).length).toBeGreaterThan(1);
});

test('a server that is away is no measurement', async () => {
  const load = createLoad([1], 0.1);
  await load.closed(1, () => ({ operation: 'get', text: '', status: 200 }));

  expect(load.wrong.length).toBeGreaterThan(0);
  expect(load.times.size).toBe(0);
});
