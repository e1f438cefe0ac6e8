import { expect, it } from 'vitest';
import { mapHarness } from './ours/harness.ts';
import { shareSeeds } from './shares/seeds.ts';

it('shares agree with plain arithmetic over all calls, in memory (D208)', async () => {
  const { faults, sharings } = await shareSeeds(mapHarness, 60);
  expect(faults).toEqual([]);
  // Without sharings, the run would prove too little.
  expect(sharings).toBeGreaterThan(60);
});
