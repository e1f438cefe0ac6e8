import { hourMs, minuteMs } from '@chairside/core';
import { createStripeProcessor } from '@chairside/stripe';
import { describe, expect, it } from 'vitest';
import {
  authorize,
  givenAuthorized,
  givenCaptured,
  type SetUp,
  secretKey,
  setUp,
  value,
} from './stand-in.ts';

/** A node whose clock is wrong, and one that agrees with Stripe. */
function twoNodes(aheadMs: number) {
  const { standIn, clock, charge, stripe } = setUp();
  const now = () => clock.now() + aheadMs;
  const { httpClient } = standIn;
  const wrong = value(createStripeProcessor({ secretKey, clock: { now }, httpClient }));
  return { standIn, clock, right: stripe, wrong, charge: { ...charge, begunAt: now() } };
}

const setupOf = ({ installation, begunAt }: SetUp['handle']) => ({
  setupId: 'pms_1',
  installation,
  begunAt,
  customerId: 'customer',
  savePaymentMethod: true,
  idempotencyKey: 'setup',
});

describe.each([-49, -2, 2, 49])('begun by a clock that is %d hours ahead', (hours) => {
  it('a payment is found by its marks, by both nodes', async () => {
    const { wrong, right, clock, charge } = twoNodes(hours * hourMs);
    const { reference } = value(await wrong.openPayment(charge));
    clock.advance(10 * minuteMs);
    for (const node of [wrong, right]) {
      expect(value(await node.readPayment(charge))?.reference).toBe(reference);
    }
  });

  it('a payment that was not opened is not found', async () => {
    const { wrong, charge } = twoNodes(hours * hourMs);
    expect(value(await wrong.readPayment(charge))).toBeUndefined();
  });

  it('a setup is found by its marks', async () => {
    const { wrong, charge } = twoNodes(hours * hourMs);
    const setup = setupOf(charge);
    const { reference } = value(await wrong.openSetup(setup));
    expect(value(await wrong.readSetup(setup))?.reference).toBe(reference);
  });

  it('a customer is found, although Stripe failed after it was made', async () => {
    const { wrong, standIn, charge } = twoNodes(hours * hourMs);
    standIn.failNext('createCustomer', 'failureAfterApplying');
    value(await wrong.openSetup(setupOf(charge)));
    expect(standIn.requests.filter(({ route }) => route === 'createCustomer')).toHaveLength(1);
  });
});

describe.each([-80, 80])('a node whose clock is %d hours ahead', (hours) => {
  it('shows the times at which Stripe booked the money (D200)', async () => {
    const { wrong, standIn, clock, charge } = twoNodes(hours * hourMs);
    const payment = await authorize({ ...setUp(), standIn, stripe: wrong, charge });
    clock.advance(hourMs);
    const capturedAt = clock.now();
    expect(value(await wrong.capturePayment(payment))).toMatchObject({ capturedAt });
    clock.advance(hourMs);
    const refund = { refundId: 'rfd_1', returnsFee: false, reversesTransfer: false };
    const asked = { ...payment, ...refund, amountMinor: 500n, idempotencyKey: 'refund_1' };
    const madeAt = clock.now();
    expect(value(await wrong.refunds.refund(asked))).toMatchObject({ madeAt });
    standIn.dispute(payment.reference, 500);
    clock.advance(hourMs);
    expect(value(await wrong.readPayment(payment))).toMatchObject({ capturedAt });
    expect(value(await wrong.refunds.list(payment))).toMatchObject([{ madeAt }]);
    expect(value(await wrong.disputes.list(payment))).toMatchObject([{ openedAt: madeAt }]);
  });
});

describe('a capture that Stripe books later', () => {
  const unbooked = (body: Readonly<Record<string, unknown>>) => ({
    ...body,
    latest_charge: { ...Object(body['latest_charge']), balance_transaction: null },
  });

  it('is read once more for the time of its booking', async () => {
    const { set, payment } = await givenAuthorized();
    const capturedAt = set.clock.now();
    set.standIn.failNext('capturePaymentIntent', unbooked);
    expect(value(await set.stripe.capturePayment(payment))).toMatchObject({ capturedAt });
    const reads = set.standIn.requests.filter(({ route }) => route === 'retrievePaymentIntent');
    expect(reads).toHaveLength(1);
  });

  it('has the time of the reply until then', async () => {
    const { set, payment } = await givenAuthorized();
    const capturedAt = set.clock.now();
    set.standIn.failNext('capturePaymentIntent', unbooked);
    set.standIn.failNext('retrievePaymentIntent', unbooked);
    const captured = value(await set.stripe.capturePayment(payment));
    expect(captured).toMatchObject({ status: 'captured', capturedAt });
  });

  it('costs no further request once it is booked', async () => {
    const { set } = await givenCaptured();
    expect(set.standIn.requests.map(({ route }) => route)).not.toContain('retrievePaymentIntent');
  });
});
