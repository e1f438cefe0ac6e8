import { describe, expect, it } from 'vitest';
import { noProcessor } from '../../test/no-processor.ts';
import { testPorts } from '../../test/ports.ts';
import { problem } from '../../test/support.ts';
import { createChairside } from '../chairside.ts';
import type { UpkeepInput } from './upkeep.ts';

const { store, clock } = testPorts().ports;
const chairside = createChairside({ store, clock, processor: noProcessor });

// cast: hosts without types may pass it
const asInput = (given: unknown) => given as UpkeepInput;

describe('upkeep and reconcile never throw', () => {
  it.each([[null], ['20 s'], [7]])('input %j: 400, and no work is done', async (given) => {
    for (const run of [chairside.upkeep, chairside.reconcile]) {
      expect(problem(await run(asInput(given)))).toMatchObject({
        type: 'badRequest',
        recovery: { outcome: 'notApplied', retry: 'doNotRetry' },
      });
    }
  });

  it.each([[10n], [Symbol('time')]])('forMs %o: a problem', async (forMs) => {
    expect(problem(await chairside.upkeep(asInput({ forMs }))).type).toBe('internalError');
  });

  it('if the clock throws: a problem', async () => {
    const broken = createChairside({
      store,
      processor: noProcessor,
      clock: {
        now: () => {
          throw new Error('no time');
        },
      },
    });
    expect(problem(await broken.upkeep()).type).toBe('internalError');
  });
});
