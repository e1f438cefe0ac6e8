import { executeRestored, generatePlan } from '@chairside/trials';
import { expect, it } from 'vitest';
import { mapHarness } from './ours/harness.ts';

/** Beginning and end of the time in which the backup is taken, as shares of the plan's time. */
const backups = [0.2, 0.6, 0.95];
const seeds = Array.from({ length: 20 }, (_, index) => index + 1);

it.each(backups)(
  'charges no visit twice after a restore of a backup taken at %d of the time (D210)',
  async (share) => {
    for (const seed of seeds) {
      const whole = generatePlan(seed, { operations: 80, isWide: false });
      // A person's own capture is no answer to a request, and may take more than is due.
      const actions = whole.actions.filter(({ does }) => does !== 'changeAtProcessor');
      const lastAt = actions.at(-1)?.at ?? 0;
      const plan = { ...whole, actions };
      const violations = await executeRestored(mapHarness, plan, Math.floor(lastAt * share));
      expect({ seed, violations }).toEqual({ seed, violations: [] });
    }
  },
);
