import { describe, expect, it } from 'vitest';
import { aDispute, aPayment, aRefund } from '../../test/support.ts';
import { type CloudEvent, moneyEntriesOf } from '../event/wire.ts';
import { refundableMinor } from '../refund/returns.ts';
import type { Tender } from '../tender/tender.ts';
import { sumOf } from '../values/bounds.ts';
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

describe("the host's rows", () => {
  const shared = {
    type: 'contactlessPayment.shared',
    sequence: '0000000000000007',
    data: {
      contactlessPaymentId: 'cpm_1',
      appointmentId: 'a',
      currency: 'eur',
      shares: [{ appointmentId: 'b', barberId: 'ada', amount: '20.00', tip: '5.00' }],
      moves: [{ appointmentId: 'a', barberId: 'ada', amount: '-20.00' }],
    },
  };
  // cast: events come as JSON, and may be anything
  const rows = (event: unknown) => moneyEntriesOf(event as CloudEvent);

  it('of a sharing are one for each visit', () => {
    expect(rows(shared)._unsafeUnwrap()).toMatchObject([
      { reference: 'cpm_1', appointmentId: 'a', paidMinor: 0n, tipMinor: 0n },
      { reference: 'cpm_1/b', appointmentId: 'b', paidMinor: 1500n, tipMinor: 500n },
    ]);
  });

  it.each([
    null,
    { ...shared, data: undefined },
    { ...shared, data: { ...shared.data, shares: 'all' } },
    { ...shared, data: { ...shared.data, moves: undefined } },
    { ...shared, data: { ...shared.data, shares: [null] } },
    { ...shared, data: { ...shared.data, shares: [{ appointmentId: 'b', amount: 'much' }] } },
    { type: 'contactlessPayment.captured', sequence: '1' },
    {
      type: 'contactlessPayment.captured',
      sequence: '1',
      data: { ...shared.data, amount: '20.00', shares: 'all' },
    },
  ])('of such an event are malformed: case %#', (event) => {
    expect(rows(event)._unsafeUnwrapErr()).toBe('malformed');
  });

  it('of an event that moves no money are none', () => {
    expect(rows({ type: 'contactlessPayment.disputed' })._unsafeUnwrap()).toEqual([]);
  });
});
