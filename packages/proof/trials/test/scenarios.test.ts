import { execute, scenarios } from '@chairside/trials';
import { expect, it } from 'vitest';
import { mapHarness } from './ours/harness.ts';

const stories = Object.entries(scenarios).filter(([, { faults }]) => faults.length > 0);

it.each(stories)('%s meets the faults that make its story', async (_, plan) => {
  const { faultsMet, violations } = await execute(mapHarness, plan);
  expect(faultsMet).toBe(plan.faults.length);
  expect(violations).toEqual([]);
});
