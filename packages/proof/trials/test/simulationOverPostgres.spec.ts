import { dropSchemas, openPostgres } from '@chairside/spec/open-postgres';
import { execute, exhaust, generatePlan, simulate, visit } from '@chairside/trials';
import { afterAll, expect, it } from 'vitest';
import { mapHarness, overPostgres } from './ours/harness.ts';

// `pnpm simulate --store postgres` has more seeds, and with `--exhaustive` every fault at every call.
const harness = overPostgres(openPostgres);
const minute = 60_000;
afterAll(dropSchemas);

it(
  'visit, over PostgreSQL: one fault of thirteen at every call',
  async () => {
    const { runs, failures } = await exhaust({ harness, plan: visit, oneOf: 13 });
    expect(failures).toEqual([]);
    expect(runs).toBeGreaterThanOrEqual(8);
  },
  5 * minute,
);

it(
  'keeps every promise over PostgreSQL',
  async () => {
    const { failure, requests, succeeded, runs } = await simulate(harness, {
      seeds: 12,
      operations: 30,
    });
    expect(failure).toBeUndefined();
    expect(runs).toBe(12);
    // Without successes, the run would prove too little.
    expect(succeeded / requests).toBeGreaterThan(0.2);
  },
  5 * minute,
);

it('has the same effect over PostgreSQL as in memory', async () => {
  const plan = generatePlan(7, { operations: 30 });
  const { evidence: expected } = await execute(mapHarness, plan);
  const { evidence } = await execute(harness, plan);
  expect(evidence.exchanges).toEqual(expected.exchanges);
});
