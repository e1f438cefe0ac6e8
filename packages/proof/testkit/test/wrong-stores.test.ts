import { countCaught, runSuite } from '@chairside/spec/run-suite';
import { describe, expect, it } from 'vitest';
import { wrongStores } from './wrong/stores.ts';

// `CHAIRSIDE_RUNS=20` proves that sampled races are caught each time, and prints the table.
const runs = Number(process.env['CHAIRSIDE_RUNS'] ?? 1);
const suite = new URL('./wrong/wrong-stores.suite.ts', import.meta.url);

describe('the contract of a store', () => {
  it(
    'catches each wrong store by the cases that are named, every time',
    async () => {
      const groupOf = (fault: string) => `a store that ${fault} keeps `;
      const table = await countCaught(suite, { faults: wrongStores, groupOf, runs });
      if (runs > 1) {
        for (const { fault, caughtBy, caught, of } of table) {
          console.log(`| ${fault} | ${caughtBy} | ${caught} of ${of} |`);
        }
      }
      const missed = table.filter(({ caught, of }) => caught < runs || of !== runs);
      expect(missed).toStrictEqual([]);
    },
    300_000 * runs,
  );

  it('finds no fault in the store over a line that is right', async () => {
    const ran = await runSuite(suite, { pattern: '^Run 0', runs: 0 });
    const failed = ran.filter(({ status }) => status === 'failed');
    expect(failed).toStrictEqual([]);
    expect(ran.filter(({ status }) => status === 'passed').length).toBeGreaterThan(150);
  });
});
