import { countCaught } from '@chairside/spec/run-suite';
import { expect, it } from 'vitest';
import { wrongProcessors } from './wrong/processors.ts';

const runs = Number(process.env['CHAIRSIDE_RUNS'] ?? 1);
const suite = new URL('./wrong/wrong-processors.suite.ts', import.meta.url);

it(
  'the contract catches each wrong processor by the cases that are named',
  async () => {
    const groupOf = (fault: string) => `a processor that ${fault}, `;
    const table = await countCaught(suite, { faults: wrongProcessors, groupOf, runs });
    if (runs > 1) {
      for (const { fault, caughtBy, caught, of } of table) {
        console.log(`| ${fault} | ${caughtBy} | ${caught} of ${of} |`);
      }
    }
    expect(table.filter(({ caught, of }) => caught < runs || of !== runs)).toStrictEqual([]);
  },
  300_000 * runs,
);
