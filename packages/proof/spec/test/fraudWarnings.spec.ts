import { describe, expect, it } from 'vitest';
import { host } from '../src/elsewhere.ts';
import { fresh } from '../src/shop.ts';
import { account, openShop, givenCaptured as takeIn } from './ours/stripe-shop.ts';

/** A payment of 45.00 that was captured. */
async function givenCaptured() {
  const shop = await openShop();
  const captured = await takeIn(shop);
  expect((await shop.stripe.takeEvents()).isOk()).toBe(true);
  return { ...shop, ...captured };
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
