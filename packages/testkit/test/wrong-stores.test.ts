import { describe, expect, it } from 'vitest';
import { escaped, runSuite } from './wrong/run-suite.ts';
import { wrongStores } from './wrong/stores.ts';

// `CHAIRSIDE_RUNS=20` proves that sampled races are caught each time, and prints the table.
const runs = Number(process.env['CHAIRSIDE_RUNS'] ?? 1);

describe('the contract of a store', () => {
  it(`catches each of ${wrongStores.length} wrong stores by the case that is named, every time`, async () => {
    const names = wrongStores.map(
      ({ fault, caughtBy }) => `a store that ${escaped(fault)} keeps .*${joined(caughtBy)}$`,
    );
    const ran = await runSuite('wrong-stores.suite.ts', { pattern: `(${names.join('|')})`, runs });
    const table = wrongStores.map(({ fault, caughtBy }) => {
      const cases = ran.filter(
        ({ fullName, status }) =>
          /passed|failed/.test(status) &&
          fullName.includes(`a store that ${fault} keeps `) &&
          fullName.endsWith(caughtBy),
      );
      const caught = cases.filter(({ status }) => status === 'failed').length;
      return { fault, caughtBy, caught, of: cases.length };
    });
    if (runs > 1) {
      for (const { fault, caughtBy, caught, of } of table) {
        console.log(`| ${fault} | ${caughtBy} | ${caught} of ${of} |`);
      }
    }
    const missed = table.filter(({ caught, of }) => caught < runs || of !== runs);
    expect(missed).toStrictEqual([]);
  }, 1_200_000);

  it('finds no fault in the store over a line that is right', async () => {
    const ran = await runSuite('wrong-stores.suite.ts', { pattern: '^Run 0', runs: 0 });
    const failed = ran.filter(({ status }) => status === 'failed');
    expect(failed).toStrictEqual([]);
    expect(ran.filter(({ status }) => status === 'passed').length).toBeGreaterThan(150);
  });
});

/** Vitest puts a mark between the names of groups where a report has a space. */
function joined(name: string): string {
  return escaped(name).replaceAll(' ', '( > | )');
}
