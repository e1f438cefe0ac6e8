import type { Plan, SimulationReport } from '@chairside/trials';
import { expect, it } from 'vitest';
import { inThread } from './ours/workers.ts';

const minute = 60_000;

it(
  'a plan that breaks a promise shrinks to a few steps that still break it',
  async () => {
    const seeds = { from: 1, seeds: 100, operations: 100 };
    const reports: SimulationReport[] = [];
    await inThread<SimulationReport>(
      { does: 'shrink', bug: 'neitherReservedNorCompared', ...seeds },
      (report) => reports.push(report),
    );
    const { failure, runs } = reports.at(-1) ?? {};
    expect(failure?.violations.map(({ rule }) => rule)).toContainEqual(
      expect.stringMatching(/^(charged|currency)$/),
    );
    console.log(`seed ${runs}: ${failure?.plan.actions.length} of 100 actions are left`);
    // Two payments of one appointment: to open, present and capture each is six.
    expect(failure?.plan.actions.length).toBeLessThanOrEqual(10);
    expect(failure?.plan.faults.length).toBeLessThanOrEqual(3);
    // It is printed and parsed again without a loss.
    const again: Plan = JSON.parse(JSON.stringify(failure?.plan));
    expect(again).toEqual(failure?.plan);
  },
  5 * minute,
);
