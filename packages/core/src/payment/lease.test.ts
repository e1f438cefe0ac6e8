import { describe, expect, it } from 'vitest';
import { testPorts } from '../../test/ports.ts';
import { aPayment, now, problem, value } from '../../test/support.ts';
import { isRunningOut, lease, notHeld, renewed, takeOverFrom } from './carry.ts';
import type { Work } from './payment.ts';

const work: Work = { kind: 'capture', fence: 7, attempt: 2, leaseUntil: now };
const { ports } = testPorts();

describe('a lease', () => {
  it('covers one call to the processor, until its deadline, and five seconds of commits', () => {
    const taken = lease(ports, { kind: 'open', fence: 1 });
    expect(taken).toEqual({ kind: 'open', fence: 1, attempt: 1, leaseUntil: now + 6000 });
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY])(
    'has the maximum length if the processor states %d as its deadline',
    (deadlineMs) => {
      const processor = { ...ports.processor, deadlineMs };
      const taken = lease({ ...ports, processor }, { kind: 'open', fence: 1 });
      expect(taken.leaseUntil).toBe(now + 3_600_000);
    },
  );

  it('is renewed before another call, once half of the time for commits is used up', () => {
    const held = lease(ports, { kind: 'open', fence: 1 });
    expect(isRunningOut(ports, held)).toBe(false);
    expect(isRunningOut(ports, { ...held, leaseUntil: now + 3500 })).toBe(false);
    expect(isRunningOut(ports, { ...held, leaseUntil: now + 3499 })).toBe(true);
    expect(renewed(ports, { ...held, leaseUntil: now })).toEqual(held);
  });

  it('is taken over after its end: with the next fence, and the same attempt', () => {
    expect(value(takeOverFrom(ports, work))).toEqual({ ...work, fence: 8, leaseUntil: now + 6000 });
  });

  it('is not taken over earlier', () => {
    const held = { ...work, leaseUntil: now + 1 };
    expect(problem(takeOverFrom(ports, held)).attributes).toEqual({ reason: 'running' });
  });

  it('blocks other holders until its end', () => {
    expect(notHeld(ports, aPayment({ work })).isOk()).toBe(true);
    expect(notHeld(ports, aPayment()).isOk()).toBe(true);
    const held = aPayment({ work: { ...work, leaseUntil: now + 1 } });
    const longest = aPayment({ work: { ...work, leaseUntil: now + 3_600_000 } });
    expect(notHeld(ports, longest).isErr()).toBe(true);
    // A later end comes from a wrong clock.
    const wrong = aPayment({ work: { ...work, leaseUntil: now + 3_600_001 } });
    expect(notHeld(ports, wrong).isOk()).toBe(true);
    expect(problem(notHeld(ports, held)).recovery).toEqual({
      outcome: 'unknown',
      retry: 'retrySameRequestAfterDelay',
    });
  });
});
