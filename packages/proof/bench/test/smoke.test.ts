import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runJob } from '../src/run-job.ts';
import { scenarios } from '../src/scenarios.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'chairside-bench-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const short = { seconds: 0.05, warmUpSeconds: 0 };

// Two nodes show everything that four would.
const quick = Object.keys(scenarios).filter((name) => name !== 'postgres4');

test.each(quick)('%s verifies its effects', async (scenario) => {
  const { load, faults } = await runJob({ ...short, scenario, connections: 8, folder });

  expect(faults).toEqual([]);
  expect(load.firstWrong).toBeUndefined();
  expect(load.answered).toBeGreaterThan(0);
});

test('a database is filled, and accepts further creates', async () => {
  const database = join(folder, 'filled.db');
  await runJob({ ...short, scenario: 'fill', connections: 1, folder, database, payments: 100 });
  const { faults, load } = await runJob({
    ...short,
    scenario: 'create',
    connections: 1,
    folder,
    database,
  });

  expect(faults).toEqual([]);
  expect(load.answered).toBeGreaterThan(0);
});
