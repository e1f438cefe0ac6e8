import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyInstant, aPayment, charge, now } from '../../test/support.ts';
import { hourMs, minuteMs } from '../values/time.ts';
import {
  chargeRefusalOf,
  isDue,
  isFinal,
  isOpened,
  keysKeptUntil,
  longestWaitMs,
  nextCheck,
  type PaymentState,
  pathTo,
  paymentStates,
  transitions,
} from './payment.ts';

/** The table of D15, copied from the decision. */
const d15: Record<PaymentState, PaymentState[]> = {
  created: ['processing', 'authorized', 'failed', 'canceled'],
  processing: ['authorized', 'failed', 'canceled'],
  failed: ['processing', 'authorized', 'canceled'],
  authorized: ['captured', 'canceled', 'failed'],
  captured: [],
  canceled: [],
};

/** The length of the shortest way by that table, from breadth-first search. */
function distance(from: PaymentState, to: PaymentState): number | undefined {
  const reached = new Map<PaymentState, number>([[from, 0]]);
  for (const [state, steps] of reached) {
    for (const next of d15[state]) if (!reached.has(next)) reached.set(next, steps + 1);
  }
  return reached.get(to);
}

const pairs = paymentStates.flatMap((from) => paymentStates.map((to) => [from, to] as const));

describe('the transitions of a payment', () => {
  it('are those of D15', () => {
    const sorted = (table: Readonly<Record<PaymentState, readonly PaymentState[]>>) =>
      paymentStates.map((state) => [...table[state]].sort());
    expect(sorted(transitions)).toEqual(sorted(d15));
  });

  it.each(pairs)('lead from %s to %s by the shortest path, if there is one', (from, to) => {
    const path = pathTo(from, to);
    // An authorization does not pass through failed, because the books never go back there.
    const isRefused = from === 'authorized' && to === 'processing';
    expect(path?.length).toBe(isRefused ? undefined : distance(from, to));
    for (const [i, state] of (path ?? []).entries()) {
      expect(d15[path?.[i - 1] ?? from]).toContain(state);
    }
    expect((path ?? [to]).at(-1) ?? from).toBe(to);
  });

  it('end in final states', () => {
    const final = paymentStates.filter((state) => isFinal(aPayment({ state })));
    expect(final).toEqual(paymentStates.filter((state) => d15[state].length === 0));
  });
});

describe('an opened payment', () => {
  it('has a client secret', () => {
    const { clientSecret: _none, ...unopened } = aPayment();
    expect([isOpened(aPayment()), isOpened(unopened)]).toEqual([true, false]);
  });
});

describe('the keys of a payment (D21)', () => {
  const line = (what: string) => ({ at: now + 9, what, cause: 'a test' });
  it.each([
    ['its last change', { updatedAt: now + 3 }, 3],
    ["the processor's capture", { capturedAt: now + 5 }, 5],
    ['its last line', { timeline: [line('repeated'), line('captured')] }, 9],
    ['a repeated capture, rounded up', { timeline: [line('repeated')] }, 9 + minuteMs],
  ])('are kept for 72 hours after %s', (_, over, afterMs) => {
    expect(keysKeptUntil(aPayment(over))).toBe(now + afterMs + 72 * hourMs);
  });
});

describe('the refusal of a charge (D49)', () => {
  it('is the cause of its cancelation, and not of a later line', () => {
    const line = (what: string, cause: string) => ({ at: now, what, cause });
    const timeline = [line('canceling', 'declined'), line('canceled', 'reconcile')];
    expect(chargeRefusalOf(aPayment({ charge, timeline }))).toBe('declined');
    expect(chargeRefusalOf(aPayment({ timeline }))).toBeUndefined();
    expect(chargeRefusalOf(aPayment({ charge, timeline: [] }))).toBeUndefined();
  });
});

describe('nextCheck', () => {
  it.each([
    ['in an hour, when it expires later', now + 2 * hourMs, now + hourMs],
    ['when it expires, when that is sooner', now + minuteMs, now + minuteMs],
    ['now, when it has expired', now - minuteMs, now],
  ])('is %s', (_when, expiresAt, check) => {
    expect(nextCheck(expiresAt, now)).toBe(check);
  });

  it('is never in the past, and never more than an hour away', () => {
    fc.assert(
      fc.property(anyInstant, anyInstant, (expiresAt, at) => {
        const check = nextCheck(expiresAt, at);
        expect(check >= at && check <= at + hourMs).toBe(true);
      }),
    );
  });
});

it.each([
  ['at its time', 0, true],
  ['not before', 1, false],
  ['not before, as late as anything waits', longestWaitMs, false],
  ['at once if a wrong clock wrote its time', longestWaitMs + 1, true],
])('a check is due %s', (_, aheadMs, due) => {
  expect(isDue(now + aheadMs, now)).toBe(due);
});
