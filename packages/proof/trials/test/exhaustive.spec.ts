import {
  type ExhaustReport,
  exhaust,
  opening,
  preparing,
  preparingAgain,
  refundActions,
  refundedAtOnce,
  refundedInParts,
  refundFaultKinds,
  registering,
  scenarios,
  visit,
  visitWithEvents,
} from '@chairside/trials';
import { expect, it } from 'vitest';
import { exhaustWire, type WireReport } from './ours/exhaust-wire.ts';
import { mapHarness, sqliteHarness, stripeHarness } from './ours/harness.ts';

const minute = 60_000;
/** After these a caller cannot tell whether its call was applied. */
const unclear = [
  'vanishes',
  'losesReply',
  'landsLater',
  'crashesAfter',
  'breaks',
  'rejects',
] as const;

/** @param atLeast the number of runs when this was written, so that skipped faults are found. */
async function expectNone(
  report: Promise<ExhaustReport | WireReport>,
  atLeast: number,
): Promise<void> {
  const { runs, failures } = await report;
  console.log(`${expect.getState().currentTestName}: ${runs} runs`);
  expect(failures).toEqual([]);
  expect(runs).toBeGreaterThanOrEqual(atLeast);
}

for (const [name, plan] of Object.entries(scenarios)) {
  it(
    `${name}: every fault at every call`,
    async () => {
      await expectNone(exhaust({ harness: mapHarness, plan }), 50);
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

for (const [name, plan, atLeast] of [
  ['visit', visitWithEvents, 91],
  ['preparing', preparing, 84],
  ['registering', registering, 28],
  ['refunded in parts', refundedInParts, 150],
  ['tip of two barbers', scenarios.tipOfTwoBarbers, 98],
] as const) {
  it(
    `${name}, over Stripe: every fault at every request on the wire`,
    async () => {
      await expectNone(exhaustWire(plan), atLeast);
    },
    2 * minute,
  );
}

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
  'refunded in parts: every pair of the faults that leave the outcome of a refund open',
  async () => {
    const kinds = [...unclear, ...refundFaultKinds];
    const plan = refundedInParts;
    const actions = refundActions;
    await expectNone(exhaust({ harness: mapHarness, plan, kinds, actions, depth: 2 }), 700);
  },
  2 * minute,
);

it(
  'refunded at once, over Stripe: every fault at every call',
  async () => {
    await expectNone(exhaust({ harness: stripeHarness, plan: refundedAtOnce }), 350);
  },
  10 * minute,
);

it(
  'visit: every pair of faults',
  async () => {
    await expectNone(exhaust({ harness: mapHarness, plan: visit, depth: 2 }), 4900);
  },
  10 * minute,
);
