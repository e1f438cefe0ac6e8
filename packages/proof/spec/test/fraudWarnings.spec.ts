import { createChairside } from '@chairside/core';
import { createManualClock, createMapStore } from '@chairside/testkit';
import { describe, expect, it } from 'vitest';
import { ada, captureInput, host } from '../src/elsewhere.ts';
import { fresh, givenAppointment } from '../src/shop.ts';
import { createSimulatedStripe } from './ours/simulated-stripe.ts';

const account = { id: 'acct_shop', currency: 'eur' };

/** A payment of 45.00 that was captured. */
async function givenCaptured() {
  const clock = createManualClock();
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
  const { id: reference } = presented.externalPaymentReference;
  const captured = await chairside.captureContactlessPayment(ada, captureInput(id, reference));
  expect(captured.isOk()).toBe(true);
  expect((await stripe.takeEvents()).isOk()).toBe(true);
  return { id, reference, clock, stripe, chairside };
}

type Captured = Awaited<ReturnType<typeof givenCaptured>>;

/** The card's bank reports it as fraud. Returns the outcomes of the message, which Stripe sends twice. */
async function warn({ reference, stripe, chairside }: Captured) {
  stripe.standIn.warnOfFraud(reference);
  const events = (await stripe.takeEvents())._unsafeUnwrap();
  const outcomes = [];
  for (const event of [...events, ...events]) {
    outcomes.push((await chairside.receiveProcessorEvent(event))._unsafeUnwrap().outcome);
  }
  return outcomes;
}

async function reviewsOf({ chairside }: Captured) {
  return (await chairside.listReviews({}))._unsafeUnwrap();
}

describe('a report of fraud by the bank (D45)', () => {
  it('asks a person once, before the dispute', async () => {
    const shop = await givenCaptured();
    const { id: contactlessPaymentId, reference: processorReference } = shop;
    expect(await warn(shop)).toEqual(['applied', 'duplicate']);
    expect(await reviewsOf(shop)).toMatchObject([
      { reason: 'fraudWarning', contactlessPaymentId, processorReference, account: account.id },
    ]);
  });

  it('asks nobody once all was refunded, here or in the dashboard, or is disputed', async () => {
    const refunded = await givenCaptured();
    const idempotencyKey = fresh('refund');
    const input = { contactlessPaymentId: refunded.id, idempotencyKey, body: {} };
    // The message may be older than the refund.
    refunded.stripe.standIn.warnOfFraud(refunded.reference);
    expect((await refunded.chairside.refundPayment(host, input)).isOk()).toBe(true);
    const disputed = await givenCaptured();
    disputed.stripe.standIn.warnOfFraud(disputed.reference);
    disputed.stripe.standIn.dispute(disputed.reference, 4500);
    const elsewhere = await givenCaptured();
    elsewhere.stripe.standIn.warnOfFraud(elsewhere.reference);
    elsewhere.stripe.standIn.refund(elsewhere.reference, 4500);
    for (const shop of [refunded, disputed, elsewhere]) {
      const [warning] = (await shop.stripe.takeEvents())._unsafeUnwrap();
      if (warning === undefined) throw new Error('no message');
      const received = await shop.chairside.receiveProcessorEvent(warning);
      expect(received._unsafeUnwrap()).toEqual({ outcome: 'applied' });
      expect(await reviewsOf(shop)).toEqual([]);
    }
  });
});
