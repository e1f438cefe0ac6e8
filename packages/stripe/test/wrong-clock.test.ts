import { hourMs, minuteMs } from '@chairside/core';
import { createStripeProcessor } from '@chairside/stripe';
import { describe, expect, it } from 'vitest';
import { secretKey, setUp, value } from './stand-in.ts';

/** A node whose clock is wrong, and one that agrees with Stripe. */
function twoNodes(aheadMs: number) {
  const { standIn, clock, charge, stripe } = setUp();
  const now = () => clock.now() + aheadMs;
  const { httpClient } = standIn;
  const wrong = value(createStripeProcessor({ secretKey, clock: { now }, httpClient }));
  return { standIn, clock, right: stripe, wrong, charge: { ...charge, begunAt: now() } };
}

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
    const setup = {
      setupId: 'pms_1',
      installation: charge.installation,
      begunAt: charge.begunAt,
      customerId: 'customer',
      savePaymentMethod: true,
      idempotencyKey: 'setup',
    };
    const { reference } = value(await wrong.openSetup(setup));
    expect(value(await wrong.readSetup(setup))?.reference).toBe(reference);
  });

  it('a customer is found, although Stripe failed after it was made', async () => {
    const { wrong, standIn, charge } = twoNodes(hours * hourMs);
    const setup = (setupId: string) => ({
      setupId,
      installation: charge.installation,
      begunAt: charge.begunAt,
      customerId: 'customer',
      savePaymentMethod: true,
      idempotencyKey: setupId,
    });
    standIn.failNext('createCustomer', 'failureAfterApplying');
    value(await wrong.openSetup(setup('pms_1')));
    expect(standIn.requests.filter(({ route }) => route === 'createCustomer')).toHaveLength(1);
  });
});
