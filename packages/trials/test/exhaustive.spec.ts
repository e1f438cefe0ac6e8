import {
  type ExhaustReport,
  execute,
  exhaust,
  opening,
  preparing,
  preparingAgain,
  registering,
  scenarios,
  visit,
  visitWithEvents,
} from '@chairside/trials';
import { expect, it } from 'vitest';
import { mapHarness, overWire, sqliteHarness, stripeHarness, wireFaults } from './ours/harness.ts';

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
  'visit, over Stripe: every fault at every call',
  async () => {
    await expectNone(exhaust({ harness: stripeHarness, plan: visit }), 110);
  },
  2 * minute,
);

it(
  'visit, over Stripe: every fault at every request on the wire',
  async () => {
    const failures: unknown[] = [];
    let runs = 0;
    let isMet = true;
    // Until a request is reached that is not made any more, whatever befell it.
    for (let request = 1; isMet; request += 1) {
      isMet = false;
      for (const fault of wireFaults) {
        const harness = overWire((nth) => (nth === request ? fault : undefined));
        const { violations, evidence } = await execute(harness, visitWithEvents);
        runs += 1;
        isMet ||= evidence.worldFaults > 0;
        if (violations.length > 0) failures.push({ request, fault, violations });
      }
    }
    console.log(`${expect.getState().currentTestName}: ${runs} runs`);
    expect(failures).toEqual([]);
    expect(runs).toBeGreaterThanOrEqual(91);
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
  'preparingAgain: every pair of faults',
  async () => {
    await expectNone(exhaust({ harness: mapHarness, plan: preparingAgain, depth: 2 }), 1400);
  },
  2 * minute,
);

for (const [name, plan] of Object.entries({ preparing, registering })) {
  it(
    `${name}, over SQLite and over Stripe: every fault at every call`,
    async () => {
      await expectNone(exhaust({ harness: sqliteHarness, plan }), 110);
      await expectNone(exhaust({ harness: stripeHarness, plan }), 110);
    },
    2 * minute,
  );
}

it(
  'visit: every pair of faults',
  async () => {
    await expectNone(exhaust({ harness: mapHarness, plan: visit, depth: 2 }), 4900);
  },
  10 * minute,
);
