import {
  execute,
  generatePlan,
  type Harness,
  type SimulationReport,
  simulate,
} from '@chairside/trials';
import { expect, it } from 'vitest';
import { groundlessHarness, mapHarness, sqliteHarness, wireHarness } from './ours/harness.ts';
import { inThread, simulateOnAllCores } from './ours/workers.ts';

const minute = 60_000;

function expectNone({ runs, requests, succeeded, ...report }: SimulationReport): void {
  const share = Math.round((100 * succeeded) / requests);
  console.log(`${runs} runs, ${requests} requests, ${share} % succeeded`);
  expect(report.failure).toBeUndefined();
  // Without successes, the run would prove too little.
  expect(share).toBeGreaterThan(20);
}

it(
  'keeps every promise over 60 seeds of 200 operations (D100)',
  async () => {
    const report = await simulateOnAllCores({ seeds: 60 });
    expectNone(report);
    expect(report.runs).toBe(60);
  },
  10 * minute,
);

it(
  'keeps every promise over SQLite',
  async () => {
    expectNone(await simulate(sqliteHarness, { seeds: 5, operations: 100 }));
  },
  5 * minute,
);

it(
  'keeps every promise over a SQLite file that is taken away and put back at random moments (D205)',
  async () => {
    let losses = 0;
    const harness: Harness = {
      ...groundlessHarness,
      async open(...given) {
        const world = await groundlessHarness.open(...given);
        const { close } = world;
        return Object.assign(world, {
          close: async () => {
            losses += world.heal?.() ?? 0;
            await close?.();
          },
        });
      },
    };
    expectNone(await simulate(harness, { seeds: 6, operations: 60 }));
    expect(losses).toBeGreaterThan(5);
  },
  5 * minute,
);

it(
  'keeps every promise over Stripe, with separate faults on its wire',
  async () => {
    const report = await simulateOnAllCores({ seeds: 15 }, 'wire');
    expectNone(report);
    // Each was checked against the SDK's declarations.
    expect(report.wire).toBeGreaterThan(3000);
  },
  4 * minute,
);

it(
  'finds a reply that violates Stripe’s declarations',
  async () => {
    const job = { does: 'simulate', harness: 'stripe', from: 1, seeds: 1, operations: 20 } as const;
    await expect(inThread({ ...job, isControl: true }, () => {})).rejects.toThrow(
      /not as Stripe declares it: reply\/\w+ must have required property 'object'/,
    );
  },
  5 * minute,
);

it(
  'has the same effect for the same seed',
  async () => {
    const runs = [];
    const all = [mapHarness, mapHarness, sqliteHarness, wireHarness, wireHarness];
    for (const harness of all) {
      const plan = generatePlan(7, { operations: 60 });
      const { evidence, turns } = await execute(harness, plan);
      runs.push({ turns, exchanges: evidence.exchanges });
    }
    const [first, second, overSqlite, overWire, overWireAgain] = runs;
    expect(second).toEqual(first);
    // SQLite needs another turn of the event loop here and there, so the last one may not be counted.
    expect(overSqlite?.exchanges).toEqual(first?.exchanges);
    expect(overWireAgain).toEqual(overWire);
  },
  5 * minute,
);
