import { describe, expect, it } from 'vitest';
import type { Dispute } from '../src/domain/dispute.ts';
import { disputeMovements, refundMovements } from '../src/domain/movement.ts';
import type { Refund } from '../src/domain/refund.ts';
import { aPayment, aRefund, now } from './support.ts';

const payment = aPayment({ state: 'captured', capturedMinor: 4500n });

const refunded = (over: Partial<Refund> = {}): Refund =>
  aRefund({
    state: 'succeeded',
    version: 2,
    reference: 're_1',
    updatedAt: now + 5,
    acceptedAt: now + 5,
    ...over,
  });
const { acceptedAt: _none, reference: _unknown, ...unaccepted } = refunded({ state: 'pending' });

describe('the movement of a refund (D50)', () => {
  it.each<[string, Refund | undefined, Refund, readonly [bigint, number] | undefined]>([
    ['that was accepted', unaccepted, refunded(), [-1000n, now + 1]],
    ['that was made elsewhere', undefined, refunded(), [-1000n, now + 1]],
    ['that is not accepted yet', undefined, unaccepted, undefined],
    ['that was never accepted', undefined, { ...unaccepted, state: 'failed' }, undefined],
    ['that is still the same', refunded({ state: 'pending' }), refunded(), undefined],
    ['that failed afterwards', refunded(), refunded({ state: 'failed' }), [1000n, now + 5]],
    ['of another amount', refunded(), refunded({ amountMinor: 900n }), [100n, now + 5]],
    [
      'that took place after it failed',
      refunded({ state: 'failed' }),
      refunded(),
      [-1000n, now + 1],
    ],
  ])('%s', (_, before, after, expected) => {
    const [moved] = refundMovements(payment, before, after, now + 1);
    expect(moved && [moved.amountMinor, moved.at]).toEqual(expected);
  });

  it.each([
    ['whose first reply says that it failed', unaccepted],
    ['that is first seen as failed', undefined],
  ])('%s, left and came back', (_, before) => {
    const failed = refunded({ state: 'failed', tipMinor: 200n });
    expect(refundMovements(payment, before, failed, now + 1)).toMatchObject([
      { id: 'rfd_1.2', amountMinor: -1000n, tipMinor: -200n, at: now + 1 },
      { id: 'rfd_1.2.back', amountMinor: 1000n, tipMinor: 200n, at: now + 5 },
    ]);
  });

  it("is at our time where the processor states none, and has the processor's id or ours", () => {
    const { reference: _id, ...unnamed } = refunded();
    expect(refundMovements(payment, undefined, unnamed)).toMatchObject([
      { at: now + 5, subject: 'rfd_1', id: 'rfd_1.2' },
    ]);
    expect(refundMovements(payment, undefined, refunded())).toMatchObject([{ subject: 're_1' }]);
  });

  it('has the part that is tip (D48)', () => {
    const tipped = refunded({ tipMinor: 200n });
    const failed = refunded({ tipMinor: 200n, state: 'failed' });
    expect(refundMovements(payment, undefined, tipped)).toMatchObject([{ tipMinor: -200n }]);
    expect(refundMovements(payment, tipped, failed)).toMatchObject([{ tipMinor: 200n }]);
  });
});

describe('the movement of a dispute (D50)', () => {
  const aDispute = (over: Partial<Dispute> = {}): Dispute => ({
    id: 'dsp_1',
    paymentId: 'cpm_1',
    businessId: 'business-1',
    account: 'acct_1',
    reference: 'dp_1',
    currency: 'eur',
    amountMinor: 1000n,
    state: 'open',
    version: 1,
    openedAt: now,
    updatedAt: now + 5,
    seenAt: now,
    ...over,
  });

  it.each<[string, Dispute | undefined, Dispute, readonly [bigint, number] | undefined]>([
    ['that was opened', undefined, aDispute(), [-1000n, now]],
    ['that was won', aDispute(), aDispute({ state: 'won' }), [1000n, now + 5]],
    ['that was lost', aDispute(), aDispute({ state: 'lost' }), undefined],
    ['of another amount', aDispute(), aDispute({ amountMinor: 1100n }), [-100n, now + 5]],
  ])('%s', (_, before, after, expected) => {
    const [moved] = disputeMovements(payment, before, after, now);
    expect(moved && [moved.amountMinor, moved.at]).toEqual(expected);
  });

  it('left and came back, if it is first seen as won', () => {
    const moved = disputeMovements(payment, undefined, aDispute({ state: 'won' }), now);
    expect(moved).toMatchObject([
      { id: 'dsp_1.1', amountMinor: -1000n, at: now },
      { id: 'dsp_1.1.back', amountMinor: 1000n, at: now + 5 },
    ]);
  });

  it.each<[string, Partial<Dispute>, readonly object[]]>([
    ['open', {}, [{ currency: 'usd', amountMinor: -1200n }]],
    ['won', { state: 'won' }, []],
  ])('subtracts no two currencies, if its own is known later: %s', (_, over, others) => {
    const after = aDispute({ currency: 'usd', amountMinor: 1200n, version: 2, ...over });
    expect(disputeMovements(payment, aDispute(), after, now)).toMatchObject([
      { id: 'dsp_1.2.back', currency: 'eur', amountMinor: 1000n, at: now + 5 },
      ...others.map((other) => ({ id: 'dsp_1.2', at: now + 5, ...other })),
    ]);
  });

  it('is at our time where the processor states none', () => {
    expect(disputeMovements(payment, undefined, aDispute())).toMatchObject([{ at: now + 5 }]);
  });
});
