import { expect, it } from 'vitest';
import { countCaught } from '../run-suite.ts';
import { wrongFakes } from './processors.ts';

const suite = new URL('./wrong-fakes.suite.ts', import.meta.url);

it('the contract catches each wrong fake by the cases that are named', async () => {
  const groupOf = (fault: string) => `a processor that ${fault}, `;
  const table = await countCaught(suite, { faults: wrongFakes, groupOf, runs: 1 });
  expect(table.filter(({ caught, of }) => caught < 1 || of !== 1)).toStrictEqual([]);
});
