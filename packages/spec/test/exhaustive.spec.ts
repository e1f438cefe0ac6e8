import { type ExhaustReport, exhaust } from '@chairside/testkit/simulation';
import { expect, it } from 'vitest';
import { mapHarness, sqliteHarness } from '../src/simulation/harness.ts';
import { opening, scenarios, visit } from '../src/simulation/scenarios.ts';

const minute = 60_000;

/** @param atLeast so many runs were made when this was written: a fault that is skipped is noticed. */
async function expectNone(report: Promise<ExhaustReport>, atLeast: number): Promise<void> {
  const { runs, failures } = await report;
  console.log(`${expect.getState().currentTestName}: ${runs} runs`);
  expect(failures).toEqual([]);
  expect(runs).toBeGreaterThanOrEqual(atLeast);
}

for (const [name, plan] of Object.entries(scenarios)) {
  it(
    `${name}: every fault at every call`,
    async () => {
      await expectNone(exhaust({ harness: mapHarness, plan }), 70);
    },
    2 * minute,
  );
}

it(
  'visit, over SQLite: every fault at every call',
  async () => {
    await expectNone(exhaust({ harness: sqliteHarness, plan: visit }), 110);
  },
  2 * minute,
);

it(
  'opening: every pair of faults',
  async () => {
    await expectNone(exhaust({ harness: mapHarness, plan: opening, depth: 2 }), 700);
  },
  2 * minute,
);

it(
  'visit: every pair of faults',
  async () => {
    await expectNone(exhaust({ harness: mapHarness, plan: visit, depth: 2 }), 5000);
  },
  10 * minute,
);
