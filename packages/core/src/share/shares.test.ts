import { describe, expect, it } from 'vitest';
import { aDispute, aPayment, aRefund } from '../../test/support.ts';
import { refundableMinor } from '../refund/returns.ts';
import type { Tender } from '../tender/tender.ts';
import { sumOf } from '../values/bounds.ts';
import { shareEntries } from './entries.ts';
import { gains, joinShares, type Share, split, splitLike } from './share.ts';
import { leftToShares, takeFrom } from './shares-of.ts';

const share = (appointmentId: string, amountMinor: bigint, tipMinor = 0n): Share => ({
  appointmentId,
  barberId: 'ada',
  amountMinor,
  tipMinor,
});

describe('an amount', () => {
  it.each<[bigint, readonly bigint[], readonly bigint[]]>([
    [1000n, [4500n, 2000n, 2000n], [530n, 235n, 235n]],
    [100n, [1n, 1n, 1n], [34n, 33n, 33n]],
    [100n, [5n, 2n], [71n, 29n]],
    [7n, [0n, 0n], [7n, 0n]],
    [0n, [3n, 4n], [0n, 0n]],
  ])('is split in proportion, to the cent: case %#', (amount, weights, parts) => {
    expect(split(amount, weights)).toEqual(parts);
  });

  it('meets what is owed before the tips', () => {
    const whole = [share('a', 5000n, 500n), share('b', 2000n)];
    expect(splitLike(whole, 6500n).map(({ tipMinor }) => tipMinor)).toEqual([0n, 0n]);
    expect(splitLike(whole, 6700n).map(({ amountMinor }) => amountMinor)).toEqual([4700n, 2000n]);
    expect(splitLike(whole, 9000n).map(({ tipMinor }) => tipMinor)).toEqual([500n, 0n]);
  });

  it('is taken from what is left to each', () => {
    const left = [share('a', 5000n, 500n), share('b', 0n), share('c', 2000n)];
    expect(takeFrom(left, { amountMinor: 6700n, tipMinor: 200n })).toEqual([
      { ...share('a', 4700n, 200n) },
      { ...share('c', 2000n) },
    ]);
  });
});

describe('shares', () => {
  it('of one visit and barber are one, and those of nothing are none', () => {
    expect(joinShares([share('a', 10n), share('b', 0n), share('a', 5n, 1n)])).toEqual([
      share('a', 15n, 1n),
    ]);
  });

  it('gain what others lose, also where a tip alone moves', () => {
    const before = [share('a', 10n, 2n), share('b', 5n)];
    const after = [share('a', 10n), share('b', 3n, 2n), share('c', 2n)];
    expect(gains(before, after)).toEqual([
      share('a', 0n, -2n),
      share('b', -2n, 2n),
      share('c', 2n),
    ]);
  });
});

it('an act that moves nothing between visits has no entries, except that somebody shared it', () => {
  const parts = [share('a', 4000n), share('b', 537n)];
  const act = { actId: 'act', kind: 'payment', at: 0 } as const;
  expect(shareEntries(aPayment(), act, parts, parts)).toEqual([]);
  expect(shareEntries(aPayment(), { ...act, shares: parts }, parts, parts)).toHaveLength(1);
});

describe('what is left to the shares', () => {
  const shares = [share('a', 1000n, 300n), share('b', 1000n)];
  const payment = aPayment({ state: 'captured', amountMinor: 2000n, tipMinor: 300n, shares });
  const captured = { ...payment, capturedMinor: 2000n };
  const refund = (part: Share) => aRefund({ ...part, state: 'succeeded', parts: [part] });
  const dispute = (...parts: readonly Share[]) => {
    const { amountMinor } = sumOf(parts);
    return aDispute({ amountMinor, takenMinor: amountMinor, parts });
  };
  const both = dispute(share('a', 500n), share('b', 500n));

  it.each([
    [
      'what was refunded of one is not withheld of it again',
      [refund(share('a', 1000n, 300n))],
      [both],
      [0n, 0n],
    ],
    [
      'what is missing at one is taken from the others',
      [refund(share('a', 800n, 300n))],
      [both],
      [0n, 200n],
    ],
    ['tips are taken last', [refund(share('b', 1000n))], [dispute(share('b', 800n))], [200n, 0n]],
    [
      'the first bears what was refunded of no share',
      [refund(share('c', 300n))],
      [],
      [700n, 1000n],
    ],
    ['no more than all is taken', [refund(share('a', 1000n, 300n))], [both, both], [0n, 0n]],
  ])('is never more than of the payment: %s', (_, refunds, disputes, expected) => {
    const here = { payment: captured, refunds, disputes, cash: [] };
    const left = leftToShares(here);
    expect(left.map(({ amountMinor }) => amountMinor)).toEqual(expected);
    const wholeMinor = refundableMinor(here);
    expect(sumOf(left).amountMinor).toBe(wholeMinor > 0n ? wholeMinor : 0n);
  });

  it('is less at the visit of the payment by what went back before it was shared', () => {
    const own = { ...share('appointment-1', 1000n), barberId: 'barber-1' };
    const shared = { ...captured, shares: [share('a', 1000n), own] };
    const refunds = [
      aRefund({ amountMinor: 300n, state: 'succeeded' }),
      { ...refund(share('a', 500n)), state: 'failed' } as const,
      // The processor has given back less than was asked for.
      { ...refund(share('a', 400n)), amountMinor: 200n },
    ];
    const left = leftToShares({ payment: shared, refunds, disputes: [], cash: [] });
    expect(left.map(({ amountMinor }) => amountMinor)).toEqual([800n, 700n]);
  });

  it('is without the tip of cash from before the payment was shared (D48)', () => {
    const back: Tender = {
      ...{ id: 'tnd_1', version: 1, act: 'return', paymentId: 'cpm_1', kind: 'cash' },
      ...{ appointmentId: 'a', businessId: 'shop', barberId: 'ada', barberName: 'Ada' },
      ...{ currency: 'eur', amountMinor: 300n, tipMinor: 300n, at: 0, returnedMinor: 0n },
    };
    const left = leftToShares({ payment: captured, refunds: [], disputes: [], cash: [back] });
    expect(sumOf(left)).toEqual({ amountMinor: 1700n, tipMinor: 0n });
  });
});
