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
/** A part of `pnpm simulate --exhaustive --pairs`, which tries each fault each night, and takes half an hour. */
const oneOf = 31;
/** Of the faults on the wire, and of each of two faults. */
const oneOfFew = 13;
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
    `${name}: one fault of 31 at every call`,
    async () => {
      await expectNone(exhaust({ oneOf, harness: mapHarness, plan }), 2);
    },
    5 * minute,
  );
}

for (const [name, plan] of Object.entries(scenarios)) {
  it(
    `${name}: a node stops for minutes or days after any call, while another one works`,
    async () => {
      await expectNone(exhaust({ harness: mapHarness, plan, kinds: ['stopsAfter'] }), 10);
    },
    5 * minute,
  );
}

it(
  'visit, over SQLite: one fault of 31 at every call',
  async () => {
    await expectNone(exhaust({ oneOf, harness: sqliteHarness, plan: visit }), 4);
  },
  5 * minute,
);

it(
  'visit, over Stripe: one fault of 31 at every call',
  async () => {
    await expectNone(exhaust({ oneOf, harness: stripeHarness, plan: visit }), 4);
  },
  5 * minute,
);

for (const [name, plan, atLeast] of [
  ['visit', visitWithEvents, 91],
  ['preparing', preparing, 84],
  ['registering', registering, 28],
  ['refunded in parts', refundedInParts, 150],
  ['tip of two barbers', scenarios.tipOfTwoBarbers, 98],
] as const) {
  it(
    `${name}, over Stripe: one fault of thirteen at every request on the wire`,
    async () => {
      await expectNone(exhaustWire(plan, oneOfFew), Math.floor(atLeast / oneOfFew));
    },
    5 * minute,
  );
}

it(
  'opening: one pair of faults of 170',
  async () => {
    await expectNone(exhaust({ oneOf: oneOfFew, harness: mapHarness, plan: opening, depth: 2 }), 3);
  },
  5 * minute,
);

it(
  'preparingAgain: one pair of faults of 170',
  async () => {
    await expectNone(
      exhaust({ oneOf: oneOfFew, harness: mapHarness, plan: preparingAgain, depth: 2 }),
      6,
    );
  },
  5 * minute,
);

for (const [name, plan] of Object.entries({ preparing, registering })) {
  it(
    `${name}, over SQLite and over Stripe: one fault of 31 at every call`,
    async () => {
      await expectNone(exhaust({ oneOf, harness: sqliteHarness, plan }), 4);
      await expectNone(exhaust({ oneOf, harness: stripeHarness, plan }), 4);
    },
    5 * minute,
  );
}

it(
  'refunded in parts: one of 170 pairs of the faults that leave the outcome of a refund open',
  async () => {
    const kinds = [...unclear, ...refundFaultKinds];
    const plan = refundedInParts;
    const actions = refundActions;
    await expectNone(
      exhaust({ oneOf: oneOfFew, harness: mapHarness, plan, kinds, actions, depth: 2 }),
      3,
    );
  },
  5 * minute,
);

it(
  'refunded at once, over Stripe: one fault of 31 at every call',
  async () => {
    await expectNone(exhaust({ oneOf, harness: stripeHarness, plan: refundedAtOnce }), 11);
  },
  5 * minute,
);

it(
  'visit: one pair of faults of 170',
  async () => {
    await expectNone(exhaust({ oneOf: oneOfFew, harness: mapHarness, plan: visit, depth: 2 }), 25);
  },
  5 * minute,
);
