import { describe, expect, it } from 'vitest';
import { testPorts } from '../../test/ports.ts';
import { now } from '../../test/support.ts';
import { ask } from '../engine/carry.ts';
import { okAsync } from '../values/result.ts';
import { withDeadline, withoutDeadline } from './perform.ts';

const { ports } = testPorts();
const withDeadlineOf = (deadlineMs: number) =>
  withDeadline({ ...ports, processor: { ...ports.processor, deadlineMs } }, now);

describe('the deadline of a request', () => {
  it('comes after two deadlines of the processor', () => {
    expect(withDeadlineOf(1000).endsAt).toBe(now + 2000);
    expect(withoutDeadline(withDeadlineOf(1000)).endsAt).toBeUndefined();
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, undefined])(
    'is absent if the processor states %s: its calls are sent (D146)',
    async (deadlineMs) => {
      // cast: adapters without types may omit it
      const endless = withDeadlineOf(deadlineMs as number);
      expect(endless).not.toHaveProperty('endsAt');
      const answer = await ask(endless, 'readPayment', () => okAsync('sent'));
      expect(answer.unwrapOr('not sent')).toBe('sent');
    },
  );
});
