import { hourMs } from '@chairside/core';
import { describe, expect, it } from 'vitest';
import { ada, host } from '../src/elsewhere.ts';
import { fresh, givenAppointment } from '../src/shop.ts';
import { givenCaptured, openShop } from './ours/stripe-shop.ts';

/** A payment of 45.00 that the platform took, and transferred to the shop. */
async function givenTransferred() {
  const shop = await openShop(undefined, { charges: 'destination' });
  const { clock, stripe, chairside } = shop;
  const { id, reference, appointmentId } = await givenCaptured(shop);
  const { standIn } = stripe;
  const begunAt = clock.now();
  const ask = (amount?: string, idempotencyKey = fresh('refund')) => {
    clock.advance(1000);
    const body = amount === undefined ? {} : { amount };
    return chairside.refundPayment(host, { contactlessPaymentId: id, idempotencyKey, body });
  };
  return {
    id,
    reference,
    appointmentId,
    chairside,
    standIn,
    ask,
    /** Refunds, and returns the amount. */
    refund: async (amount?: string) => (await ask(amount))._unsafeUnwrap().amount,
    /** The customer's bank sends the money of the newest refund back. */
    async fail() {
      const made = standIn.events.findLast(({ type }) => type === 'refund.created');
      standIn.endRefund(made?.data.object.id ?? '', 'failed');
      for (const event of (await stripe.takeEvents())._unsafeUnwrap()) {
        expect((await chairside.receiveProcessorEvent(event)).isOk()).toBe(true);
      }
    },
    /** What the shop's account has lost. */
    reversedMinor: () =>
      standIn
        .entries(undefined)
        .filter(({ type }) => type === 'transfer_refund')
        .reduce((sum, { amount }) => sum + amount, 0),
    /** By the statement of the day, once it is closed. */
    async settled() {
      const day = new Date(begunAt).toISOString().slice(0, 10);
      clock.advance(2 * hourMs);
      for (let runs = 0; runs < 5; runs += 1) (await chairside.reconcile())._unsafeUnwrap();
      const asked = { businessId: 'shop', day, timeZone: 'UTC' };
      const { shop: sums } = (await chairside.getStatement(host, asked))._unsafeUnwrap();
      return sums[0]?.settled;
    },
    reviews: async () =>
      (await chairside.listReviews({}))._unsafeUnwrap().map(({ reason }) => reason),
  };
}

describe('what a shop has settled with destination charges (D50)', () => {
  it('has its transfers, less what refunds took back, and no dispute', async () => {
    const { reference, standIn, refund, fail, settled } = await givenTransferred();
    expect(await settled()).toBe('45.00');
    await refund('5.00');
    expect(await settled()).toBe('40.00');
    await refund('20.00');
    await fail();
    expect(await settled()).toBe('20.00');
    await refund('20.00');
    standIn.dispute(reference, 1000);
    expect(await settled()).toBe('20.00');
  });
});

describe('a refund that fails after its transfer was reversed (D44)', () => {
  it('needs a person, and is made again without asking the shop twice', async () => {
    const { refund, fail, reversedMinor, reviews } = await givenTransferred();
    await refund('20.00');
    expect(await reviews()).toEqual([]);
    await fail();
    expect(await reviews()).toEqual(['refundFailedAfterReversal']);
    await refund('20.00');
    expect(reversedMinor()).toBe(2000);
    expect(await refund()).toBe('25.00');
    expect(reversedMinor()).toBe(4500);
  });

  it('is made again in full, although Stripe would refuse another reversal', async () => {
    const { refund, fail, reversedMinor, reviews } = await givenTransferred();
    for (const _ of [1, 2]) {
      await refund();
      await fail();
    }
    await refund();
    expect(reversedMinor()).toBe(4500);
    expect(await reviews()).toEqual(['refundFailedAfterReversal']);
  });

  it('has to be made again before a larger one, because Stripe cannot reverse only the rest', async () => {
    const { id, ask, refund, fail, reversedMinor } = await givenTransferred();
    await refund('20.00');
    await fail();
    expect((await ask())._unsafeUnwrapErr()).toMatchObject({
      status: 409,
      attributes: { reason: 'leftReversed', left: '20.00', contactlessPaymentId: id },
      recovery: { outcome: 'notApplied', retry: 'doNotRetry' },
    });
    for (const amount of ['5.00', '15.00', '25.00']) await refund(amount);
    expect(reversedMinor()).toBe(4500);
  });

  it('holds back the excess of its visit too', async () => {
    const { appointmentId, chairside, refund, fail, reversedMinor } = await givenTransferred();
    await refund('20.00');
    await fail();
    await givenAppointment({ chairside }, { id: appointmentId, amountDue: '10.00' });
    const excess = () =>
      chairside.refundExcess(host, { appointmentId, idempotencyKey: fresh('excess') });
    expect((await excess())._unsafeUnwrapErr().attributes).toMatchObject({ left: '20.00' });
    await refund('20.00');
    expect((await excess()).map(({ amount }) => amount)._unsafeUnwrap()).toBe('15.00');
    expect(reversedMinor()).toBe(3500);
  });

  it('counts cash in its place as transferred back, and the next refund reverses its own', async () => {
    const { id, chairside, refund, fail, reversedMinor } = await givenTransferred();
    await refund('20.00');
    await fail();
    const body = { amount: '20.00' };
    const cash = { tenderId: id, idempotencyKey: fresh('cash'), body };
    expect((await chairside.returnTender(ada, cash)).isOk()).toBe(true);
    expect(await refund()).toBe('25.00');
    expect(reversedMinor()).toBe(4500);
  });

  it('keeps its request after a lost one, although the dashboard has given back what was left', async () => {
    const { reference, standIn, ask, refund, fail, reversedMinor } = await givenTransferred();
    await refund('20.00');
    await fail();
    standIn.failNext('createRefund', 'timeoutBeforeApplying');
    const key = fresh('refund');
    expect((await ask('20.00', key)).isErr()).toBe(true);
    standIn.refund(reference, 2000);
    expect((await ask('20.00', key)).isOk()).toBe(true);
    expect(reversedMinor()).toBe(2000);
  });
});
