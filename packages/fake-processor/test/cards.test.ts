import { minuteMs } from '@chairside/core';
import {
  approvalDelayMs,
  type CardName,
  cards,
  holdMs,
  isCardName,
  type SimulatedCard,
} from '@chairside/fake-processor';
import { describe, expect, it } from 'vitest';
import {
  authorizePayment,
  charge,
  openPayment,
  problem,
  setUp,
  startAt,
  value,
} from './helpers.ts';

const cardNames = Object.keys(cards).filter(isCardName);
const catalogue = cardNames.map((name): readonly [CardName, SimulatedCard] => [name, cards[name]]);
const doing = (what: SimulatedCard['does']) => catalogue.filter(([, { does }]) => does === what);

describe('the catalogue of cards', () => {
  it('has every network, funding type and two wallets', () => {
    const seen = (of: (card: SimulatedCard['card']) => string | undefined) =>
      new Set(catalogue.map(([, { card }]) => of(card)));
    expect(seen((card) => card.network).size).toBe(5);
    expect(seen((card) => card.fundingType).size).toBe(4);
    expect(seen((card) => card.tokenizationMethod).size).toBe(3);
  });

  it.each(doing('approve'))('%s is authorized and captured in full', async (name, simulated) => {
    const { fake } = setUp();
    const { clientSecret, reference } = await openPayment(fake);
    expect(value(fake.presentCard(clientSecret, name))).toEqual({
      status: 'authorized',
      externalPaymentReference: { id: reference, paymentProcessor: 'processor_a' },
    });
    expect(value(await fake.readPayment(charge))).toEqual({
      tipMinor: 0n,
      reference,
      clientSecret,
      status: 'authorized',
      account: 'acct_1',
      currency: 'usd',
      amountMinor: 4537n,
      authorizedMinor: 4537n,
      applicationFeeMinor: 0n,
      card: simulated.card,
      authorizedAt: startAt,
      captureBefore: startAt + (simulated.holdMs ?? holdMs),
      openedAt: startAt,
      at: startAt,
    });
    const captured = value(await fake.capturePayment({ ...charge, idempotencyKey: 'capture' }));
    expect(captured).toMatchObject({ capturedMinor: 4537n, capturedAt: startAt });
  });

  it('declined fails the payment each time, and shows no card', async () => {
    const { fake } = setUp();
    const { clientSecret } = await openPayment(fake);
    for (let i = 0; i < 2; i += 1) {
      expect(value(fake.presentCard(clientSecret, 'declined')).status).toBe('declined');
      const seen = value(await fake.readPayment(charge));
      expect(seen?.status).toBe('failed');
      expect(seen?.card).toBeUndefined();
    }
  });

  it('declined_then_approved declines once for each payment', async () => {
    const { fake } = setUp();
    const first = await openPayment(fake);
    const present = (secret: string) =>
      value(fake.presentCard(secret, 'declined_then_approved')).status;
    expect([present(first.clientSecret), present(first.clientSecret)]).toEqual([
      'declined',
      'authorized',
    ]);
    const second = await openPayment(fake, 'open_2');
    expect(present(second.clientSecret)).toBe('declined');
  });

  it('canceled cancels the payment at the processor', async () => {
    const { fake } = setUp();
    const { clientSecret, reference } = await openPayment(fake);
    expect(value(fake.presentCard(clientSecret, 'canceled')).status).toBe('canceled');
    expect(fake.bookEntry(reference ?? '')?.status).toBe('canceled');
  });

  it('partially_authorized approves half, and limits the capture to that', async () => {
    const { fake } = setUp();
    await authorizePayment(fake, 'partially_authorized');
    expect(value(await fake.readPayment(charge))).toMatchObject({
      status: 'authorized',
      amountMinor: 4537n,
      authorizedMinor: 2268n,
    });
    const request = { ...charge, idempotencyKey: 'capture' };
    expect(problem(await fake.capturePayment(request))).toEqual({
      kind: 'rejected',
      reason: 'amountTooLarge',
    });
  });

  it('slow_to_approve is processing until its approval, which has that time', async () => {
    const { fake, clock } = setUp();
    const { clientSecret } = await openPayment(fake);
    expect(value(fake.presentCard(clientSecret, 'slow_to_approve')).status).toBe('processing');
    clock.advance(approvalDelayMs - 1);
    expect(value(await fake.readPayment(charge))?.status).toBe('processing');
    clock.advance(2);
    expect(value(await fake.readPayment(charge))).toMatchObject({
      status: 'authorized',
      authorizedAt: startAt + approvalDelayMs,
    });
  });

  it.each([
    ['expires_soon', minuteMs],
    ['visa_credit', holdMs],
  ] as const)('%s is canceled when it is not captured in time', async (name, hold) => {
    const { fake, clock } = setUp();
    await authorizePayment(fake, name);
    clock.advance(hold - 1);
    expect(value(await fake.readPayment(charge))?.status).toBe('authorized');
    clock.advance(1);
    const late = await fake.capturePayment({ ...charge, idempotencyKey: 'capture' });
    expect(problem(late)).toEqual({ kind: 'rejected', reason: 'unexpectedState' });
    expect(value(await fake.readPayment(charge))?.status).toBe('canceled');
    expect(fake.entries()[0]?.history.at(-1)?.what).toBe('expired');
  });
});

describe('an impossible presentation returns', () => {
  it.each(['authorized', 'processing', 'captured', 'canceled'] as const)(
    'an error for a payment that is %s',
    async (status) => {
      const { fake } = setUp();
      const card: CardName = status === 'processing' ? 'slow_to_approve' : 'visa_credit';
      const { clientSecret } = await authorizePayment(fake, card);
      const request = { ...charge, idempotencyKey: 'next' };
      if (status === 'captured') value(await fake.capturePayment(request));
      if (status === 'canceled') value(await fake.cancelPayment(request));
      const before = fake.entries();
      expect(problem(fake.presentCard(clientSecret, 'visa_credit'))).toEqual({
        kind: 'notPresentable',
        status,
      });
      expect(fake.entries()).toEqual(before);
    },
  );

  it('an error for an unknown secret, even with a known beginning', async () => {
    const { fake } = setUp();
    const { clientSecret, reference } = await openPayment(fake);
    for (const secret of ['', 'fpi_x_secret_y', `${reference}`, `${clientSecret}x`]) {
      expect(problem(fake.presentCard(secret, 'visa_credit'))).toEqual({
        kind: 'unknownClientSecret',
      });
    }
  });

  it.each(['visa', 'toString', ''])('an error for the unknown card "%s"', async (name) => {
    const { fake } = setUp();
    const { clientSecret } = await openPayment(fake);
    // cast: hosts without types may pass any name
    expect(problem(fake.presentCard(clientSecret, name as CardName))).toEqual({
      kind: 'unknownCard',
    });
  });
});
