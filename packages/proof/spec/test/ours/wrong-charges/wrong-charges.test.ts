import { expect, it } from 'vitest';
import { countCaught } from '../run-suite.ts';
import { wrongCharges } from './processors.ts';

const suite = new URL('./wrong-charges.suite.ts', import.meta.url);

it(`the contract catches each of ${wrongCharges.length} wrong charges by the case that is named (D116)`, async () => {
  const groupOf = (fault: string) => `a processor that ${fault}, `;
  const table = await countCaught(suite, { faults: wrongCharges, groupOf, runs: 1 });
  expect(table.filter(({ caught, of }) => caught < 1 || of !== 1)).toStrictEqual([]);
});
