import { expect, it } from 'vitest';
import { createLanes } from '../src/lanes.ts';
import { newPool } from './helpers.ts';

it('what has waited for as long as it may is refused together, where no connection is free', async () => {
  const pool = newPool({ max: 1 });
  const holder = await pool.connect();
  const lanes = createLanes<number, string>(pool, 100, {
    maxLanes: 1,
    carryOut: async () => 'carried out',
    refused: (_error, { during }) => during,
  });
  const answers = await Promise.all(Array.from({ length: 1000 }, (_, n) => lanes(n)));
  const waits = pool.waitingCount;
  holder.release();
  expect(new Set(answers)).toStrictEqual(new Set(['connect']));
  // One wait of those that came first, and one more of those that came while it had begun.
  expect(waits).toBeLessThanOrEqual(2);
});
