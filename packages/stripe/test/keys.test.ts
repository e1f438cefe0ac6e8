import { hourMs } from '@chairside/core';
import { keyLifetimeMs } from '@chairside/stripe';
import { describe, expect, it } from 'vitest';
import {
  authorize,
  givenAuthorized,
  givenCaptured,
  problem,
  rejected,
  setUp,
  value,
} from './stand-in.ts';

describe('idempotency keys', () => {
  it('are ours, on every call that changes data', async () => {
    const { set } = await givenCaptured();
    const posts = set.standIn.requests.filter(({ route }) => !/^(retrieve|list)/.test(route));
    expect(posts.map(({ idempotencyKey }) => idempotencyKey)).toEqual(['open_1', 'capture_1']);
    value(await set.stripe.createConnectionToken({ account: set.account.id }));
    expect(set.standIn.requests.at(-1)?.idempotencyKey).toMatch(/^token:[\w-]{36}$/);
  });

  it('are rejected with other parameters', async () => {
    const { stripe, charge } = setUp();
    value(await stripe.openPayment(charge));
    const other = { ...charge, amountMinor: 4538n };
    expect(problem(await stripe.openPayment(other))).toEqual(rejected('keyReused'));
  });

  it('of an opening are not sent after 20 hours: the books are read instead', async () => {
    const { stripe, standIn, clock, charge } = setUp();
    standIn.failNext('createPaymentIntent', 'resetAfterApplying');
    problem(await stripe.openPayment(charge));
    clock.advance(keyLifetimeMs);
    const { reference } = value(await stripe.openPayment(charge));
    expect(standIn.intents().map(({ id }) => id)).toEqual([reference]);
    const sent = standIn.requests.filter(({ route }) => route === 'createPaymentIntent');
    expect(sent).toHaveLength(1);
  });

  it('of an opening without an effect in 20 hours open no payment any more', async () => {
    const { stripe, standIn, clock, charge } = setUp();
    clock.advance(keyLifetimeMs);
    expect(problem(await stripe.openPayment(charge))).toEqual(rejected('tooOld'));
    expect(standIn.intents()).toEqual([]);
  });

  it('of an opening are sent until then', async () => {
    const { stripe, standIn, clock, charge } = setUp();
    clock.advance(keyLifetimeMs - 1);
    value(await stripe.openPayment(charge));
    expect(standIn.requests.map(({ route }) => route)).toEqual(['createPaymentIntent']);
  });

  it('of an old capture are replaced, once the books show that they had no effect', async () => {
    const set = setUp();
    const { stripe, standIn, clock } = set;
    const payment = await authorize(set);
    standIn.failNext('capturePaymentIntent', 'failure');
    problem(await stripe.capturePayment(payment));
    clock.advance(25 * hourMs);
    expect(value(await stripe.capturePayment(payment))).toMatchObject({ status: 'captured' });
    const sent = standIn.requests.filter(({ route }) => route === 'capturePaymentIntent');
    expect(sent.map(({ idempotencyKey }) => idempotencyKey)).toEqual(['capture_1', 'capture_1:1']);
  });

  it('of an old capture are not sent for a captured payment', async () => {
    const set = setUp();
    const { stripe, standIn, clock } = set;
    const payment = await authorize(set);
    standIn.failNext('capturePaymentIntent', 'resetAfterApplying');
    problem(await stripe.capturePayment(payment));
    clock.advance(25 * hourMs);
    const { reference: _reference, ...unreferenced } = payment;
    for (const request of [payment, unreferenced]) {
      expect(value(await stripe.capturePayment(request))).toMatchObject({
        status: 'captured',
        capturedMinor: 4537n,
      });
    }
    expect(standIn.requests.filter(({ route }) => route === 'capturePaymentIntent').length).toBe(1);
  });

  it('of a late capture are not sent after the authorization’s end', async () => {
    const { set, payment } = await givenAuthorized();
    set.clock.advance(115 * hourMs);
    expect(problem(await set.stripe.capturePayment(payment))).toEqual(rejected('unexpectedState'));
    expect(set.standIn.requests.map(({ route }) => route)).not.toContain('capturePaymentIntent');
  });

  it('of a late cancel are not sent for a canceled payment, and replaced for others', async () => {
    const set = setUp();
    const { stripe, standIn, clock } = set;
    const payment = { ...(await authorize(set)), idempotencyKey: 'cancel_1' };
    clock.advance(25 * hourMs);
    expect(value(await stripe.cancelPayment(payment))).toMatchObject({ status: 'canceled' });
    expect(standIn.requests.at(-1)?.idempotencyKey).toBe('cancel_1:1');
    const sent = standIn.requests.length;
    expect(value(await stripe.cancelPayment(payment))).toMatchObject({ status: 'canceled' });
    expect(standIn.requests.slice(sent).map(({ route }) => route)).toEqual([
      'retrievePaymentIntent',
    ]);
  });
});
