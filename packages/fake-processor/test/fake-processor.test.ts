import { foreignReference } from '@chairside/core/ports';
import { describe, expect, it } from 'vitest';
import { createFakeProcessor } from '../src/index.ts';
import { authorizePayment, charge, handle, openPayment, problem, setUp, value } from './helpers.ts';

const foreign = { kind: 'rejected', reason: foreignReference };
const notSetUp = { kind: 'notSetUp' };

describe('the owner of a payment', () => {
  it.each([
    ['account', { account: 'acct_2' }],
    ['payment', { paymentId: 'cpm_2' }],
    ['installation', { installation: 'staging' }],
  ])('a reference of another %s is foreign: it shows and changes no payment', async (_, other) => {
    const { fake } = setUp();
    const { reference } = await authorizePayment(fake);
    const before = fake.entries();
    const stranger = { ...handle, ...other, reference };
    expect(problem(await fake.readPayment(stranger, reference))).toEqual(foreign);
    expect(value(await fake.readPayment(stranger))).toBeUndefined();
    expect(value(await fake.cancelPayment({ ...stranger, idempotencyKey: 'a' }))).toBeUndefined();
    const capture = { ...charge, ...stranger, idempotencyKey: 'b' };
    expect(problem(await fake.capturePayment(capture))).toEqual({
      kind: 'rejected',
      reason: 'unknownPayment',
    });
    expect(fake.entries()).toEqual(before);
  });

  it('of two entries of one payment that can both be authorized, the one with more progress is found', async () => {
    const { fake } = setUp();
    const first = await openPayment(fake, 'open_1');
    const second = await openPayment(fake, 'open_2');
    const found = async () => value(await fake.readPayment(handle))?.reference;
    expect(await found()).toBe(second.reference);
    value(fake.presentCard(first.clientSecret, 'visa_credit'));
    expect(await found()).toBe(first.reference);
    value(fake.presentCard(second.clientSecret, 'visa_credit'));
    expect(fake.entries().map(({ status }) => status)).toEqual(['authorized', 'authorized']);
    // Both belong to this payment, so either may be claimed.
    for (const { reference } of [first, second]) {
      expect(value(await fake.readPayment(handle, reference))?.reference).toBe(reference);
    }
  });
});

it('treats undefined options as omitted', async () => {
  const clock = { now: () => 0 };
  const fake = createFakeProcessor({
    clock,
    seed: undefined,
    webhookSecret: undefined,
    storage: undefined,
    accounts: undefined,
    rejectedLocations: undefined,
    lateReferences: undefined,
    deadlineMs: undefined,
    faults: undefined,
    delay: undefined,
  });
  const plain = createFakeProcessor({ clock });
  expect(fake.deadlineMs).toBe(plain.deadlineMs);
  expect(fake.signEvent('{}')).toStrictEqual(plain.signEvent('{}'));
  const token = await fake.createConnectionToken({ account: 'acct_any' });
  expect(token).toStrictEqual(await plain.createConnectionToken({ account: 'acct_any' }));
});

describe('accounts and locations', () => {
  it('calls are rejected for an account that is not set up, until it is', async () => {
    const { fake } = setUp({ accounts: ['acct_2'] });
    const request = { ...charge, idempotencyKey: 'key' };
    expect(problem(await fake.openPayment(request))).toEqual(notSetUp);
    expect(problem(await fake.readPayment(request))).toEqual(notSetUp);
    expect(problem(await fake.capturePayment(request))).toEqual(notSetUp);
    expect(problem(await fake.cancelPayment(request))).toEqual(notSetUp);
    expect(problem(await fake.createConnectionToken(request))).toEqual(notSetUp);
    expect(fake.entries()).toEqual([]);
    fake.enableAccount('acct_1');
    value(await fake.openPayment(request));
    fake.disableAccount('acct_1');
    expect(problem(await fake.openPayment(request))).toEqual(notSetUp);
    value(await fake.openPayment({ ...request, account: 'acct_2' }));
  });

  it('a rejected location gets no token, by an option or later', async () => {
    const { fake } = setUp({ rejectedLocations: ['fll_1'] });
    const token = (terminalLocation: string) =>
      fake.createConnectionToken({ account: 'acct_1', terminalLocation });
    value(await token('fll_2'));
    fake.rejectLocation('fll_2');
    for (const location of ['fll_1', 'fll_2']) {
      expect(problem(await token(location))).toEqual({
        kind: 'rejected',
        reason: 'unknownLocation',
      });
    }
  });
});

describe('amounts', () => {
  it.each([0n, -1n])('%s cannot be opened', async (amountMinor) => {
    const { fake } = setUp();
    const request = { ...charge, amountMinor, idempotencyKey: 'key' };
    expect(problem(await fake.openPayment(request))).toEqual({
      kind: 'rejected',
      reason: 'amountNotPositive',
    });
  });

  it.each([
    [{ amountMinor: 4538n }, 'amountTooLarge'],
    [{ amountMinor: 0n }, 'amountNotPositive'],
    [{ currency: 'eur' }, 'currencyMismatch'],
  ])('%s cannot be captured', async (change, reason) => {
    const { fake } = setUp();
    await authorizePayment(fake);
    const request = { ...charge, ...change, idempotencyKey: 'key' };
    expect(problem(await fake.capturePayment(request))).toEqual({ kind: 'rejected', reason });
  });

  it('a smaller capture is applied as requested', async () => {
    const { fake } = setUp();
    const { reference } = await authorizePayment(fake);
    const request = { ...charge, amountMinor: 4536n, idempotencyKey: 'key' };
    expect(value(await fake.capturePayment(request)).capturedMinor).toBe(4536n);
    expect(fake.bookEntry(reference)).toMatchObject({
      status: 'captured',
      amount: '45.37',
      amountCaptured: '45.36',
    });
  });

  it('are exact to the last of 15 digits', async () => {
    const { fake } = setUp();
    const request = { ...charge, amountMinor: 999_999_999_999_999n, idempotencyKey: 'key' };
    const { clientSecret } = value(await fake.openPayment(request));
    value(fake.presentCard(clientSecret, 'visa_credit'));
    const captured = value(await fake.capturePayment({ ...request, idempotencyKey: 'capture' }));
    expect(captured.capturedMinor).toBe(999_999_999_999_999n);
  });
});

describe('late references', () => {
  it('are known from the first card on, a declined one included', async () => {
    const { fake } = setUp({ lateReferences: true });
    const opened = await openPayment(fake);
    expect(opened).not.toHaveProperty('reference');
    const seen = value(await fake.readPayment(handle));
    expect(seen).toMatchObject({ status: 'created', clientSecret: opened.clientSecret });
    expect(seen).not.toHaveProperty('reference');
    const { externalPaymentReference } = value(fake.presentCard(opened.clientSecret, 'declined'));
    expect(value(await fake.readPayment(handle))).toMatchObject({
      reference: externalPaymentReference.id,
      status: 'failed',
    });
  });

  it('cannot be claimed before they are known', async () => {
    const { fake } = setUp({ lateReferences: true });
    await openPayment(fake);
    const reference = fake.entries()[0]?.id ?? '';
    expect(problem(await fake.readPayment(handle, reference))).toEqual(foreign);
  });

  it('do not prevent canceling a payment before any card', async () => {
    const { fake } = setUp({ lateReferences: true });
    const { clientSecret } = await openPayment(fake);
    const canceled = value(await fake.cancelPayment({ ...handle, idempotencyKey: 'a' }));
    expect(canceled).toMatchObject({ status: 'canceled' });
    expect(canceled).not.toHaveProperty('reference');
    expect(problem(fake.presentCard(clientSecret, 'visa_credit'))).toEqual({
      kind: 'notPresentable',
      status: 'canceled',
    });
  });
});
