import { createStripeProcessor } from '@chairside/stripe';
import { createManualClock } from '@chairside/testkit';
import { describe, expect, it } from 'vitest';
import { startDeadline } from '../src/deadline.ts';
import { authorize, problem, secretKey, setUpOverHttp, unknown, value } from './stand-in.ts';

describe('connections', () => {
  it('are used again', async () => {
    const { stripe, charge, server } = await setUpOverHttp();
    value(await stripe.openPayment(charge));
    for (let i = 0; i < 5; i += 1) value(await stripe.readPayment(charge));
    expect(server.connections()).toBe(1);
  });

  it('gather no listeners, after any number of uses', async () => {
    const { stripe, charge, server } = await setUpOverHttp();
    const warnings: string[] = [];
    const note = ({ message }: Error) => warnings.push(message);
    process.on('warning', note);
    for (let i = 0; i < 20; i += 1) value(await stripe.readPayment(charge));
    process.off('warning', note);
    expect(warnings).toEqual([]);
    expect(server.connections()).toBe(1);
  });

  it('that were closed meanwhile are replaced at once, with the same key', async () => {
    const set = await setUpOverHttp();
    const { stripe, standIn, charge } = set;
    value(await stripe.readPayment(charge));
    // The kept connection is reset only as the next request arrives on it.
    standIn.failNext('createPaymentIntent', 'resetAfterApplying');
    const { reference } = value(await stripe.openPayment(charge));
    expect(standIn.intents().map(({ id }) => id)).toEqual([reference]);
    const sent = standIn.requests.filter(({ route }) => route === 'createPaymentIntent');
    expect(sent.map(({ idempotencyKey }) => idempotencyKey)).toEqual(['open_1', 'open_1']);
  });

  it('are replaced by a new one, because other kept ones may be closed too', async () => {
    const { stripe, standIn, charge, server } = await setUpOverHttp();
    const both = await Promise.all([stripe.readPayment(charge), stripe.readPayment(charge)]);
    for (const read of both) expect(value(read)).toBeUndefined();
    expect(server.connections()).toBe(2);
    standIn.failNext('createPaymentIntent', 'resetBeforeApplying');
    value(await stripe.openPayment(charge));
    expect(server.connections()).toBe(3);
  });

  it.each(['rateLimited', 'noAccess', 'overloaded'] as const)(
    'that were closed after the request was applied: a later rejection (%s) does not disprove it',
    async (refusal) => {
      const { stripe, standIn, charge } = await setUpOverHttp();
      value(await stripe.readPayment(charge));
      standIn.failNext('createPaymentIntent', 'resetAfterApplying');
      standIn.failNext('createPaymentIntent', refusal);
      expect(problem(await stripe.openPayment(charge))).toEqual(unknown);
      expect(standIn.intents()).toHaveLength(1);
    },
  );

  it('are replaced once, and not for ever', async () => {
    const { stripe, standIn, charge } = await setUpOverHttp();
    value(await stripe.readPayment(charge));
    standIn.failNext('createPaymentIntent', 'resetBeforeApplying', 3);
    expect(problem(await stripe.openPayment(charge))).toEqual(unknown);
    const sent = standIn.requests.filter(({ route }) => route === 'createPaymentIntent');
    expect(sent).toHaveLength(2);
  });
});

describe('a call', () => {
  it('ends by its deadline, look-ups included', async () => {
    const set = await setUpOverHttp();
    const { standIn, handle, server, clock } = set;
    const { reference: _reference, ...unreferenced } = await authorize(set);
    const { host, port, protocol } = server;
    const hurried = value(
      createStripeProcessor({
        secretKey,
        clock,
        deadlineMs: 300,
        api: { host, port, protocol },
      }),
    );
    standIn.failNext('capturePaymentIntent', 'timeoutAfterApplying');
    expect(problem(await hurried.capturePayment(unreferenced))).toEqual(unknown);
    standIn.failNext('listPaymentIntents', 'timeoutBeforeApplying', 3);
    expect(problem(await hurried.capturePayment(unreferenced))).toEqual(unknown);
    expect(value(await set.stripe.readPayment(handle))).toMatchObject({ status: 'captured' });
    hurried.close();
  });

  it('leaves a part of its time for the work after the last reply', () => {
    const { remainingMs } = startDeadline(1000, createManualClock());
    expect(remainingMs()).toBeLessThanOrEqual(950);
  });

  it('requests the API version of the SDK', async () => {
    // The stand-in rejects all other versions.
    const { stripe, charge } = await setUpOverHttp();
    value(await stripe.openPayment(charge));
  });
});
