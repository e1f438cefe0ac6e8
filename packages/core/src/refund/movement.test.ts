import { describe, expect, it } from 'vitest';
import { aDispute as anyDispute, aPayment, aRefund, now } from '../../test/support.ts';
import type { Dispute, DisputeBooking } from './dispute.ts';
import { correctionOf, disputeMovements, refundMovements } from './movement.ts';
import type { Refund } from './refund.ts';

const payment = aPayment({ state: 'captured', capturedMinor: 4500n });

const refunded = (over: Partial<Refund> = {}): Refund =>
  aRefund({
    state: 'succeeded',
    isBooked: true,
    version: 2,
    reference: 're_1',
    updatedAt: now + 5,
    acceptedAt: now + 5,
    ...over,
  });
const {
  acceptedAt: _none,
  reference: _unknown,
  ...unaccepted
} = refunded({
  state: 'pending',
  isBooked: false,
});
const unbooked = refunded({ state: 'pending', isBooked: false });

describe('the movement after a person was wrong about a payment (D201)', () => {
  it('takes back the amount with its tip, and adds it again', () => {
    const tipped = { ...payment, capturedMinor: 5000n, amountMinor: 5000n, tipMinor: 500n };
    const about = { kind: 'payment', paymentId: payment.id, at: now };
    expect(correctionOf({ ...tipped, state: 'canceled' }, now)).toMatchObject([
      { ...about, amountMinor: -5000n, tipMinor: -500n },
    ]);
    expect(correctionOf(tipped, now)).toMatchObject([
      { ...about, amountMinor: 5000n, tipMinor: 500n },
    ]);
  });

  it("moves a refund from our own id to the processor's", () => {
    const { reference: _none, ...said } = refunded();
    const moved = refundMovements(payment, said, refunded({ version: 3 }), { madeAt: now - 9 });
    expect(moved).toMatchObject([
      { subject: said.id, amountMinor: 1000n, at: now + 5 },
      { subject: 're_1', amountMinor: -1000n, at: now + 5 },
    ]);
    expect(new Set(moved.map(({ id }) => id)).size).toBe(2);
    // The processor's books have both entries of one that failed. The days of both may be closed.
    const failed = refunded({ version: 3, state: 'failed' });
    expect(refundMovements(payment, said, failed, { returnedAt: now + 3 })).toMatchObject([
      { subject: said.id, amountMinor: 1000n, at: now + 5 },
      { subject: 're_1', amountMinor: -1000n, at: now + 5 },
      { subject: 're_1', amountMinor: 1000n, at: now + 5 },
    ]);
    const unknown = { ...said, version: 3, state: 'failed' } as const;
    expect(refundMovements(payment, said, unknown)).toMatchObject([
      { id: 'rfd_1.3', subject: said.id, amountMinor: 1000n },
    ]);
  });
});

describe('the movement of a refund (D50)', () => {
  it.each<[string, Refund | undefined, Refund, readonly [bigint, number] | undefined]>([
    ['that was accepted', unaccepted, refunded(), [-1000n, now + 1]],
    ['that was made elsewhere', undefined, refunded(), [-1000n, now + 1]],
    ['that is not accepted yet', undefined, unaccepted, undefined],
    ['that was never accepted', undefined, { ...unaccepted, state: 'failed' }, undefined],
    ['that is still the same', refunded({ state: 'pending' }), refunded(), undefined],
    ['that failed afterwards', refunded(), refunded({ state: 'failed' }), [1000n, now + 3]],
    ['of another amount', refunded(), refunded({ amountMinor: 900n }), [100n, now + 5]],
    [
      'that took place after it failed',
      refunded({ state: 'failed' }),
      refunded(),
      [-1000n, now + 5],
    ],
    ['that waits to be booked', unaccepted, unbooked, undefined],
    ['that is booked after it has waited', unbooked, refunded(), [-1000n, now + 1]],
    [
      'that was canceled before it was booked',
      unbooked,
      { ...unbooked, state: 'canceled' },
      undefined,
    ],
  ])('%s', (_, before, after, expected) => {
    const seen = { madeAt: now + 1, returnedAt: now + 3 };
    const [moved] = refundMovements(payment, before, after, seen);
    expect(moved && [moved.amountMinor, moved.at]).toEqual(expected);
  });

  it.each([
    ['whose first reply says that it failed', unaccepted],
    ['that is first seen as failed', undefined],
  ])('%s, left and came back', (_, before) => {
    const failed = refunded({ state: 'failed', tipMinor: 200n });
    expect(
      refundMovements(payment, before, failed, { madeAt: now + 1, returnedAt: now + 3 }),
    ).toMatchObject([
      { id: 'rfd_1.2', amountMinor: -1000n, tipMinor: -200n, at: now + 1 },
      { id: 'rfd_1.2.back', amountMinor: 1000n, tipMinor: 200n, at: now + 3 },
    ]);
  });

  it("is at our time where the processor states none, and has the processor's id or ours", () => {
    const { reference: _id, ...unnamed } = refunded();
    expect(refundMovements(payment, undefined, unnamed)).toMatchObject([
      { at: now + 5, subject: 'rfd_1', id: 'rfd_1.2' },
    ]);
    expect(refundMovements(payment, undefined, refunded())).toMatchObject([{ subject: 're_1' }]);
  });

  it('states how much of it is tip (D48)', () => {
    const tipped = refunded({ tipMinor: 200n });
    const failed = refunded({ tipMinor: 200n, state: 'failed' });
    expect(refundMovements(payment, undefined, tipped)).toMatchObject([{ tipMinor: -200n }]);
    expect(refundMovements(payment, tipped, failed)).toMatchObject([{ tipMinor: 200n }]);
  });
});

describe('the movement of a dispute (D50)', () => {
  const aDispute = (over: Partial<Dispute> = {}) => anyDispute({ updatedAt: now + 5, ...over });
  const taken = { amountMinor: -1000n };
  const returned = { amountMinor: 1000n };
  const won = aDispute({ state: 'won', returnedMinor: 1000n });
  const inquiry = aDispute({ takenMinor: 0n, isRefundable: true });

  type Case = [
    string,
    Dispute | undefined,
    Dispute,
    readonly DisputeBooking[],
    readonly (readonly [bigint, number])[],
  ];
  it.each<Case>([
    ['that was opened', undefined, aDispute(), [taken], [[-1000n, now]]],
    ['that was won', aDispute(), won, [taken, returned], [[1000n, now + 5]]],
    ['that was lost', aDispute(), aDispute({ state: 'lost' }), [taken], []],
    [
      'of another amount',
      aDispute(),
      aDispute({ amountMinor: 1100n }),
      [taken, { amountMinor: -100n }],
      [[-100n, now + 5]],
    ],
    ['that is an inquiry', undefined, inquiry, [], []],
    ['that is an inquiry that was closed', inquiry, { ...inquiry, state: 'won' }, [], []],
    ['that was an inquiry', inquiry, aDispute(), [{ ...taken, at: now + 3 }], [[-1000n, now + 3]]],
    ['that goes on after it was won', won, { ...won, state: 'open' }, [returned, taken], []],
    [
      'that is lost after it was won',
      won,
      aDispute({ state: 'lost', takenMinor: 2000n, returnedMinor: 1000n }),
      [{ ...taken, at: now + 2 }, returned, { ...taken, at: now + 1 }],
      [[-1000n, now + 2]],
    ],
    [
      'that is first seen as won',
      undefined,
      won,
      [
        { ...returned, at: now + 4 },
        { ...taken, at: now + 2 },
      ],
      [
        [-1000n, now + 2],
        [1000n, now + 4],
      ],
    ],
    [
      'that is first seen as won, without the times of its bookings',
      undefined,
      won,
      [taken, returned],
      [
        [-1000n, now],
        [1000n, now + 5],
      ],
    ],
    [
      'of which a part was recorded',
      aDispute({ takenMinor: 700n }),
      aDispute({ takenMinor: 1100n }),
      [
        { amountMinor: -400n, at: now + 1 },
        { amountMinor: -600n, at: now + 2 },
        { amountMinor: -100n, at: now + 3 },
      ],
      [
        [-300n, now + 2],
        [-100n, now + 3],
      ],
    ],
    ['whose booking is gone', aDispute(), inquiry, [], [[1000n, now + 5]]],
  ])('%s', (_, before, after, bookings, expected) => {
    const moved = disputeMovements(payment, before, after, { bookings, openedAt: now });
    expect(moved.map(({ amountMinor, at }) => [amountMinor, at])).toEqual(expected);
    expect(moved.map(({ id }) => id)).toEqual(['dsp_1.1', 'dsp_1.1.1'].slice(0, moved.length));
  });

  it('subtracts no two currencies, if its own is known later', () => {
    const after = aDispute({ currency: 'usd', amountMinor: 1200n, version: 2 });
    const bookings = [{ amountMinor: -1200n }];
    const before = aDispute({ takenMinor: 1400n, returnedMinor: 400n });
    expect(disputeMovements(payment, before, after, { bookings })).toMatchObject([
      { id: 'dsp_1.2', currency: 'eur', amountMinor: 1000n, at: now + 5 },
      { id: 'dsp_1.2.1', currency: 'usd', amountMinor: -1200n, at: now + 5 },
    ]);
  });

  it('is in the currency of the balance, and at our time where the processor states none', () => {
    const after = aDispute({
      currency: 'jpy',
      amountMinor: 7000n,
      takenMinor: 4200n,
      bookedIn: 'eur',
    });
    const seen = { bookings: [{ amountMinor: -4200n }] };
    expect(disputeMovements(payment, undefined, after, seen)).toMatchObject([
      { at: now + 5, currency: 'eur', amountMinor: -4200n },
    ]);
  });
});
