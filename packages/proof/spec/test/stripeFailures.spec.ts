import { expect, it } from 'vitest';
import { host } from '../src/elsewhere.ts';
import { fresh } from '../src/shop.ts';
import { account, givenCaptured, openShop } from './ours/stripe-shop.ts';

/** A payment of 45.00, captured, and the same refund of 10.00 of it on each call. */
async function givenRefundable() {
  const shop = await openShop();
  const { id } = await givenCaptured(shop);
  const { clock, stripe, chairside } = shop;
  const body = { amount: '10.00' };
  const input = { contactlessPaymentId: id, idempotencyKey: fresh('refund'), body };
  const { standIn } = stripe;
  return {
    standIn,
    async refund(): Promise<string> {
      clock.advance(2000);
      const refunded = await chairside.refundPayment(host, input);
      return refunded.match(
        ({ state }) => state,
        ({ type }) => type,
      );
    },
    /** The attempts in the keys of the requests to refund. */
    attempts: () =>
      standIn.requests
        .filter(({ route }) => route === 'createRefund')
        .map(({ idempotencyKey = '' }) => idempotencyKey.split(':').at(-1)),
    refundedMinor: () =>
      standIn
        .entries(account.id)
        .filter(({ type }) => type === 'refund' || type === 'payment_refund')
        .map(({ amount }) => amount),
  };
}

it('refunds once if Stripe is overloaded while the first request still runs (D20)', async () => {
  const { standIn, refund, attempts, refundedMinor } = await givenRefundable();
  standIn.failNext('createRefund', 'unfinished');
  standIn.failNext('createRefund', 'overloaded');
  for (let calls = 0; calls < 3; calls += 1) expect(await refund()).not.toBe('succeeded');
  expect(refundedMinor()).toEqual([]);
  expect(standIn.finish()).toBe(1);
  expect(await refund()).toBe('succeeded');
  expect(refundedMinor()).toEqual([-1000]);
  expect(new Set(attempts())).toEqual(new Set(['1']));
});

it.each([
  ['failure', ['1', '2']],
  // Only the replay proves that Stripe keeps it.
  ['failureUntold', ['1', '1', '2']],
] as const)('refunds under another key after a stored failure: %s (D20)', async (fault, keys) => {
  const { standIn, refund, attempts, refundedMinor } = await givenRefundable();
  standIn.failNext('createRefund', fault);
  for (let calls = 1; calls < keys.length; calls += 1) {
    expect(await refund()).not.toBe('succeeded');
  }
  expect(await refund()).toBe('succeeded');
  expect(attempts()).toEqual(keys);
  expect(refundedMinor()).toEqual([-1000]);
});
