import { hourMs } from '@chairside/core';
import { unknownCustomer } from '@chairside/core/ports';
import {
  type CardName,
  type FakeProcessor,
  keyLifetimeMs,
  platformAccount,
} from '@chairside/fake-processor';
import { describe, expect, it } from 'vitest';
import { charge, openPayment, problem, setUp, setup, startAt, value } from './helpers.ts';

const keyReused = { kind: 'rejected', reason: 'keyReused' };
const open = async (fake: FakeProcessor, change: Partial<typeof setup> = {}) =>
  value(await fake.openSetup({ ...setup, ...change }));
const read = async (fake: FakeProcessor) => value(await fake.readSetup(setup));

describe('opening a setup', () => {
  it('shows it open, with the requested options', async () => {
    const { fake } = setUp();
    const opened = await open(fake);
    expect(opened).toEqual({
      reference: expect.stringMatching(/^fsi_[0-9a-f]{24}$/),
      clientSecret: expect.stringContaining(`${opened.reference}_secret_`),
      status: 'open',
    });
    expect(await read(fake)).toEqual({ ...opened, at: startAt });
    expect(fake.setups()).toEqual([
      {
        id: opened.reference,
        setupId: 'pms_1',
        installation: 'shop',
        customerId: 'customer_1',
        savePaymentMethod: true,
        status: 'open',
        declined: false,
        createdAt: startAt,
        clientSecret: opened.clientSecret,
      },
    ]);
  });

  it('returns the first reply of a key for 24 hours, and then opens another', async () => {
    const { fake, clock } = setUp();
    const first = await open(fake);
    value(fake.completeSetup(first.clientSecret));
    clock.advance(keyLifetimeMs - 1);
    expect(await open(fake)).toEqual(first);
    clock.advance(1);
    expect((await open(fake)).reference).not.toBe(first.reference);
    expect(fake.count('openSetup')).toEqual({ made: 3, applied: 2 });
  });

  it.each([
    ['setup', { setupId: 'pms_2' }],
    ['installation', { installation: 'staging' }],
    ['customer', { customerId: 'customer_2' }],
  ])('rejects a key with another %s', async (_, change) => {
    const { fake } = setUp();
    await open(fake);
    expect(problem(await fake.openSetup({ ...setup, ...change }))).toEqual(keyReused);
    value(await fake.openSetup({ ...setup, begunAt: startAt + hourMs }));
    expect(fake.setups()).toHaveLength(1);
  });

  it('is rejected for a deleted customer, and for no other', async () => {
    const { fake } = setUp();
    fake.forgetCustomer('customer_1');
    expect(problem(await fake.openSetup(setup))).toEqual({
      kind: 'rejected',
      reason: unknownCustomer,
    });
    await open(fake, { customerId: 'customer_2', idempotencyKey: 'another' });
    expect(fake.setups().map(({ customerId }) => customerId)).toEqual(['customer_2']);
  });

  it('has keys apart from those of payments', async () => {
    const { fake } = setUp();
    value(await fake.openPayment({ ...charge, account: platformAccount, idempotencyKey: 'key' }));
    await open(fake, { idempotencyKey: 'key' });
  });

  it('depends only on the platform’s account', async () => {
    const { fake } = setUp({ accounts: [] });
    await open(fake);
    fake.disableAccount(platformAccount);
    expect(problem(await fake.openSetup(setup))).toEqual({ kind: 'notSetUp' });
    expect(problem(await fake.readSetup(setup))).toEqual({ kind: 'notSetUp' });
  });
});

describe('reading a setup', () => {
  it('of two with one id, finds the completed one, else the newest', async () => {
    const { fake } = setUp();
    const first = await open(fake, { idempotencyKey: 'a' });
    const second = await open(fake, { idempotencyKey: 'b' });
    expect(await read(fake)).toEqual({ ...second, at: startAt });
    value(fake.completeSetup(second.clientSecret, 'canceled'));
    expect(await read(fake)).toEqual({ ...first, at: startAt });
    value(fake.completeSetup(first.clientSecret));
    const third = await open(fake, { idempotencyKey: 'c' });
    expect(third.status).toBe('open');
    expect((await read(fake))?.reference).toBe(first.reference);
  });
});

describe('completing a setup', () => {
  it('shows the method, and accepts no other', async () => {
    const { fake } = setUp();
    const { clientSecret, reference } = await open(fake);
    const paymentMethod = expect.stringMatching(/^fpm_[0-9a-f]{24}$/);
    expect(value(fake.completeSetup(clientSecret))).toEqual({ status: 'completed', paymentMethod });
    const times = { completedAt: startAt, at: startAt };
    const completed = { reference, clientSecret, status: 'completed', paymentMethod, ...times };
    expect(await read(fake)).toEqual(completed);
    expect(problem(fake.completeSetup(clientSecret))).toEqual({
      kind: 'notOpen',
      status: 'completed',
    });
    expect(await read(fake)).toEqual(completed);
  });

  it('stays open when the card is declined', async () => {
    const { fake } = setUp();
    const { clientSecret } = await open(fake);
    const attempt = (card: CardName) => value(fake.completeSetup(clientSecret, card));
    expect(attempt('declined')).toEqual({ status: 'declined' });
    expect((await read(fake))?.status).toBe('open');
    expect(attempt('declined_then_approved').status).toBe('completed');
  });

  it('is declined once by the card that declines once', async () => {
    const { fake } = setUp();
    const { clientSecret } = await open(fake);
    const attempt = () => value(fake.completeSetup(clientSecret, 'declined_then_approved')).status;
    expect([attempt(), attempt()]).toEqual(['declined', 'completed']);
  });

  it('is canceled by the customer', async () => {
    const { fake } = setUp();
    const { clientSecret } = await open(fake);
    expect(value(fake.completeSetup(clientSecret, 'canceled'))).toEqual({ status: 'canceled' });
    expect((await read(fake))?.status).toBe('canceled');
    expect(problem(fake.completeSetup(clientSecret))).toEqual({
      kind: 'notOpen',
      status: 'canceled',
    });
  });

  it.each(['apple_pay', 'google_pay'] as const)(
    'accepts %s for one appointment only',
    async (card) => {
      const { fake } = setUp();
      const saved = await open(fake);
      expect(problem(fake.completeSetup(saved.clientSecret, card))).toEqual({
        kind: 'notReusable',
      });
      expect((await read(fake))?.status).toBe('open');
      const once = await open(fake, { savePaymentMethod: false, idempotencyKey: 'once' });
      expect(value(fake.completeSetup(once.clientSecret, card)).status).toBe('completed');
    },
  );

  it('rejects an unknown secret and an unknown card', async () => {
    const { fake } = setUp();
    const { clientSecret, reference } = await open(fake);
    const payment = await openPayment(fake);
    for (const secret of ['', reference, `${clientSecret}x`, payment.clientSecret]) {
      expect(problem(fake.completeSetup(secret))).toEqual({ kind: 'unknownClientSecret' });
    }
    expect(problem(fake.presentCard(clientSecret, 'visa_credit'))).toEqual({
      kind: 'unknownClientSecret',
    });
    const unknown = 'visa' as CardName; // cast: hosts without types may pass any name
    expect(problem(fake.completeSetup(clientSecret, unknown))).toEqual({ kind: 'unknownCard' });
  });
});
