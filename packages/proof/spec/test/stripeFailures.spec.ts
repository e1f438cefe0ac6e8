import { createChairside } from '@chairside/core';
import { createManualClock, createMapStore } from '@chairside/testkit';
import { expect, it } from 'vitest';
import { ada, captureInput, host } from '../src/elsewhere.ts';
import { fresh, givenAppointment } from '../src/shop.ts';
import { createSimulatedStripe } from './ours/simulated-stripe.ts';

/** A payment of 45.00, captured, and the same refund of 10.00 of it on each call. */
async function givenRefundable() {
  const clock = createManualClock();
  const account = { id: 'acct_shop', currency: 'eur' };
  const stripe = createSimulatedStripe(clock, [account], { foreign: false });
  const store = createMapStore();
  const chairside = createChairside({ store, clock, processor: stripe, rateLimits: 'off' });
  const { records } = chairside;
  const shop = { id: 'shop', name: 'Marlow & Sons', processorAccount: account };
  expect((await records.putBusiness(shop)).isOk()).toBe(true);
  expect((await records.putBarber({ id: 'ada', businessId: 'shop' })).isOk()).toBe(true);
  const appointmentId = await givenAppointment({ chairside });
  const asked = { appointmentId, idempotencyKey: fresh('create') };
  const { id, clientSecret } = (
    await chairside.createContactlessPayment(ada, asked)
  )._unsafeUnwrap();
  const presented = (await stripe.presentCard(clientSecret, 'visa_credit'))._unsafeUnwrap();
  const capture = captureInput(id, presented.externalPaymentReference.id);
  expect((await chairside.captureContactlessPayment(ada, capture)).isOk()).toBe(true);
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
