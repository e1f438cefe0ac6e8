import { expect, it } from 'vitest';
import { countCaught } from '../run-suite.ts';
import { wrongSettlements } from './processors.ts';

const suite = new URL('./wrong-settlements.suite.ts', import.meta.url);

it(`the contract catches each of ${wrongSettlements.length} wrong balances by the case that is named (D116)`, async () => {
  const groupOf = (fault: string) => `a processor that ${fault}, `;
  const table = await countCaught(suite, { faults: wrongSettlements, groupOf, runs: 1 });
  expect(table.filter(({ caught, of }) => caught < 1 || of !== 1)).toStrictEqual([]);
});
