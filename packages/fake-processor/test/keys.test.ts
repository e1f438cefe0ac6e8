import { keyLifetimeMs } from '@chairside/fake-processor';
import { describe, expect, it } from 'vitest';
import { authorizePayment, charge, openPayment, problem, setUp, value } from './helpers.ts';

const request = { ...charge, idempotencyKey: 'key' };
const keyReused = { kind: 'rejected', reason: 'keyReused' };

describe('idempotency keys', () => {
  it('expire after 24 hours, and not before: then the same key opens a second payment', async () => {
    const { fake, clock } = setUp();
    const first = value(await fake.openPayment(request));
    clock.advance(keyLifetimeMs - 1);
    expect(value(await fake.openPayment(request))).toEqual(first);
    clock.advance(1);
    const second = value(await fake.openPayment(request));
    expect(second.reference).not.toBe(first.reference);
    expect(second.clientSecret).not.toBe(first.clientSecret);
    expect(fake.count('openPayment')).toEqual({ made: 3, applied: 2 });
  });

  it('replay a failure until they expire, after any later change', async () => {
    const { fake, clock } = setUp();
    fake.failNext('openPayment', 'failure');
    const failed = problem(await fake.openPayment(request));
    clock.advance(keyLifetimeMs - 1);
    expect(problem(await fake.openPayment(request))).toEqual(failed);
    clock.advance(1);
    expect((await fake.openPayment(request)).isOk()).toBe(true);
  });

  it('replay a rejection whose cause is gone', async () => {
    const { fake } = setUp();
    const { clientSecret } = await openPayment(fake);
    const refusal = problem(await fake.capturePayment(request));
    expect(refusal).toEqual({ kind: 'rejected', reason: 'unexpectedState' });
    value(fake.presentCard(clientSecret, 'visa_credit'));
    expect(problem(await fake.capturePayment(request))).toEqual(refusal);
    const other = await fake.capturePayment({ ...request, idempotencyKey: 'other' });
    expect(value(other).status).toBe('captured');
  });

  it('do not outlive the capture: a second one is rejected by the state alone', async () => {
    const { fake, clock } = setUp();
    await authorizePayment(fake);
    value(await fake.capturePayment(request));
    clock.advance(keyLifetimeMs);
    expect(problem(await fake.capturePayment(request))).toEqual({
      kind: 'rejected',
      reason: 'unexpectedState',
    });
    expect(fake.count('capturePayment').applied).toBe(1);
  });

  it.each([
    ['currency', { currency: 'eur' }],
    ['payment', { paymentId: 'cpm_2' }],
    ['installation', { installation: 'other' }],
  ])('are rejected with another %s', async (_, change) => {
    const { fake } = setUp();
    value(await fake.openPayment(request));
    expect(problem(await fake.openPayment({ ...request, ...change }))).toEqual(keyReused);
    expect(fake.entries()).toHaveLength(1);
  });

  it('are rejected for another call, or another amount to capture', async () => {
    const { fake } = setUp();
    await authorizePayment(fake);
    value(await fake.capturePayment(request));
    expect(problem(await fake.cancelPayment(request))).toEqual(keyReused);
    expect(problem(await fake.capturePayment({ ...request, amountMinor: 1n }))).toEqual(keyReused);
  });

  it('ignore facts that became known between two tries', async () => {
    const { fake } = setUp();
    const { reference } = await authorizePayment(fake);
    const first = value(await fake.capturePayment(request));
    expect(value(await fake.capturePayment({ ...request, reference }))).toEqual(first);
    expect(value(await fake.capturePayment({ ...request, begunAt: 0 }))).toEqual(first);
  });

  it('belong to one account', async () => {
    const { fake } = setUp();
    const here = value(await fake.openPayment(request));
    const there = value(await fake.openPayment({ ...request, account: 'acct_2' }));
    expect(there.reference).not.toBe(here.reference);
  });
});
