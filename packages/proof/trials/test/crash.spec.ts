import { rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type CrashReport, crash } from './crash/run.ts';

const minute = 60_000;

function expectNone({ violations, folder, ...report }: CrashReport, cycles: number): void {
  console.log(JSON.stringify(report));
  expect(violations, folder).toEqual([]);
  expect(report.cycles).toBe(cycles);
  // Without acknowledged and interrupted requests, the run would prove too little.
  expect(report.acknowledged).toBeGreaterThan(10 * cycles);
  expect(report.lost).toBeGreaterThan(cycles);
  expect(report.refunds).toBeGreaterThan(cycles);
}

describe('kill -9 under load', () => {
  it(
    'loses no acknowledged payment, and charges none twice',
    async () => {
      expectNone(await crash({ cycles: 6, seed: 1, servers: 1 }), 6);
    },
    10 * minute,
  );

  it(
    'of one of two servers on the same file, and then of the other, loses no payment either',
    async () => {
      expectNone(await crash({ cycles: 4, seed: 2, servers: 2 }), 4);
    },
    10 * minute,
  );

  it(
    'finds a planted bug',
    async () => {
      const noticed = await crash({
        cycles: 3,
        seed: 3,
        servers: 1,
        bug: 'neitherReservedNorCompared',
      });
      const { violations, folder = '' } = noticed;
      rmSync(folder, { recursive: true, force: true });
      expect(violations).toContainEqual(expect.stringMatching(/was charged 9000 of 4500$/));
    },
    10 * minute,
  );
});
