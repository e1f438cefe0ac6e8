import { hourMs } from '@chairside/core';
import { expect, it } from 'vitest';
import { authorize, setUp, value } from './stand-in.ts';

/** The dispute as the adapter shows it, where Stripe shows these members. */
async function shown(members: object) {
  const set = setUp();
  const payment = await authorize(set);
  value(await set.stripe.capturePayment(payment));
  const money = { amount: 500, currency: 'usd' };
  const dispute = { id: 'dp_1', payment_intent: payment.reference, ...money, ...members };
  set.standIn.failNext('listDisputes', (list) => ({ ...list, data: [dispute] }));
  return value(await set.stripe.disputes.list(payment));
}

// The names that the SDK documents for this field.
it.each([
  ['lost', 'lost'],
  ['needs_response', 'open'],
  ['prevented', 'won'],
  ['under_review', 'open'],
  ['warning_closed', 'won'],
  ['warning_needs_response', 'open'],
  ['warning_under_review', 'open'],
  ['won', 'won'],
])('shows a dispute that is %s as %s', async (status, state) => {
  expect(await shown({ status })).toEqual([
    { reference: 'dp_1', amountMinor: 500n, state, currency: 'usd' },
  ]);
});

it('shows until when to respond, if Stripe says so', async () => {
  const at = 500 * hourMs;
  const open = { status: 'needs_response', reason: 'fraudulent' };
  const [dispute] = await shown({ ...open, evidence_details: { due_by: at / 1000 } });
  expect(dispute).toMatchObject({ reason: 'fraudulent', respondBy: at });
  const [unlimited] = await shown({ ...open, evidence_details: { due_by: null } });
  expect(unlimited).not.toHaveProperty('respondBy');
});
