import { hourMs } from '@chairside/core';
import { expect, it } from 'vitest';
import { givenCaptured, value } from './stand-in.ts';

/** The dispute as the adapter shows it, where Stripe shows these members. */
async function shown(members: object) {
  const { set, payment } = await givenCaptured();
  const money = { amount: 500, currency: 'usd' };
  const dispute = { id: 'dp_1', payment_intent: payment.reference, ...money, ...members };
  set.standIn.failNext('listDisputes', (list) => ({ ...list, data: [dispute] }));
  return value(await set.stripe.disputes.list(payment));
}

const at = 500 * hourMs;
const takenFrom = (currency: string, amount = -500) => ({ amount, currency, created: at / 1000 });

// The names that the SDK documents for this field.
it.each([
  ['appeal_needs_response', 'open', -500n],
  ['appeal_under_review', 'open', -500n],
  ['lost', 'lost', -500n],
  ['needs_response', 'open', -500n],
  ['prevented', 'won', undefined],
  ['under_review', 'open', -500n],
  ['warning_closed', 'won', undefined],
  ['warning_needs_response', 'open', undefined],
  ['warning_under_review', 'open', undefined],
  ['won', 'won', undefined],
  ['of_next_year', 'open', -500n],
])('shows a dispute that is %s as %s, and trusts its bookings', async (status, state, taken) => {
  const dispute = { reference: 'dp_1', amountMinor: 500n, state, currency: 'usd' };
  const isInquiry = status.startsWith('warning_') && { isRefundable: true };
  // Without bookings the status tells what is withheld.
  const bookings = taken === undefined ? [] : [{ amountMinor: taken }];
  for (const odd of [undefined, null, 'none', [{ amount: 'all' }]]) {
    const balance_transactions = odd;
    expect(await shown({ status, balance_transactions })).toEqual([
      { ...dispute, ...isInquiry, bookings },
    ]);
  }
  const balance_transactions = [takenFrom('usd'), takenFrom('usd', 500)];
  expect(await shown({ status, balance_transactions })).toEqual([
    {
      ...dispute,
      bookings: [
        { amountMinor: -500n, at },
        { amountMinor: 500n, at },
      ],
      bookedIn: 'usd',
    },
  ]);
  expect(await shown({ status, balance_transactions: [] })).toEqual([
    { ...dispute, ...isInquiry, bookings: [] },
  ]);
});

it('shows in which currency a dispute was booked, unless there are several', async () => {
  const status = 'lost';
  expect(await shown({ status, balance_transactions: [takenFrom('jpy', -7000)] })).toMatchObject([
    { currency: 'usd', bookings: [{ amountMinor: -7000n }], bookedIn: 'jpy' },
  ]);
  const two = [takenFrom('jpy', -7000), takenFrom('usd')];
  const [dispute] = await shown({ status, balance_transactions: two });
  expect(dispute?.bookings).toEqual([{ amountMinor: -500n }]);
});

it.each(['isk', 'ugx'])(
  'counts %s in whole units, of which Stripe shows hundredths',
  async (currency) => {
    const booked = { currency, status: 'lost', balance_transactions: [takenFrom(currency, -500)] };
    expect(await shown(booked)).toMatchObject([
      { amountMinor: 5n, currency, bookings: [{ amountMinor: -5n }], bookedIn: currency },
    ]);
    expect(await shown({ ...booked, balance_transactions: null })).toMatchObject([
      { bookings: [{ amountMinor: -5n }] },
    ]);
  },
);

it.each([true, false, undefined, null, 'yes'])(
  'shows whether the payment can be refunded, if Stripe says so: %s',
  async (is_charge_refundable) => {
    const [dispute] = await shown({ status: 'won', is_charge_refundable });
    const isSaid = typeof is_charge_refundable === 'boolean';
    expect(dispute?.isRefundable).toBe(isSaid ? is_charge_refundable : undefined);
  },
);

it('shows an inquiry as refundable, although no more can be refunded once all went back', async () => {
  const isRefunded = { is_charge_refundable: false, balance_transactions: [] };
  const inquiry = { status: 'warning_under_review', ...isRefunded };
  expect(await shown(inquiry)).toMatchObject([{ isRefundable: true, bookings: [] }]);
  // A case that has taken money is none any more.
  expect(await shown({ ...inquiry, balance_transactions: [takenFrom('usd')] })).toMatchObject([
    { isRefundable: false },
  ]);
});

it('shows until when to respond, if Stripe says so', async () => {
  const open = { status: 'needs_response', reason: 'fraudulent' };
  const [dispute] = await shown({ ...open, evidence_details: { due_by: at / 1000 } });
  expect(dispute).toMatchObject({ reason: 'fraudulent', respondBy: at });
  const [unlimited] = await shown({ ...open, evidence_details: { due_by: null } });
  expect(unlimited).not.toHaveProperty('respondBy');
});
