import { hourMs, minuteMs, type ProcessorAccount } from '@chairside/core';
import { describe, expect, it } from 'vitest';
import {
  amountMinor,
  problem,
  rejected,
  type Suite,
  unknown,
  unreferenced,
  value,
} from './suite.ts';

/** A payment is opened once, and only for an account that can take cards (D20). */
export function openingContract(suite: Suite): void {
  const { needs, begun, open, authorize, capture, read } = suite;

  describe('opening', () => {
    it('opens a payment in the state created', async () => {
      needs('readBeforeCard');
      const request = begun();
      const { clientSecret, reference } = await open(request);
      const seen = await read(reference === undefined ? request : { ...request, reference });
      expect(seen).toMatchObject({
        status: 'created',
        account: suite.account().id,
        currency: suite.account().currency,
        amountMinor,
        clientSecret,
        ...(reference !== undefined && { reference }),
      });
      expect(seen.card).toBeUndefined();
      expect(seen.capturedMinor ?? 0n).toBe(0n);
      // By our own id as well, because the reply to the opening may have been lost.
      expect(await read(request)).toMatchObject({ status: 'created', clientSecret });
    });

    it('opens once for one key', async () => {
      const request = begun();
      const first = await value(suite.processor().openPayment(request));
      expect(await value(suite.processor().openPayment(request))).toEqual(first);
    });

    it('opens once for one key that is sent twice at the same time', async () => {
      const request = begun();
      const both = await Promise.all([
        suite.processor().openPayment(request),
        suite.processor().openPayment(request),
      ]);
      const settled = await value(suite.processor().openPayment(request));
      for (const result of both) {
        if (result.isOk()) expect(result.value).toEqual(settled);
        else expect(result.error).toEqual(unknown);
      }
    });

    for (const [what, other, abilities] of [
      ['another amount', { amountMinor: amountMinor + 1n }, []],
      ['another fee', { applicationFeeMinor: 254n }, ['fees']],
    ] as const) {
      it(`rejects a key that was used with ${what}`, async () => {
        needs('keysCoverParameters', ...abilities);
        const fee = { applicationFeeMinor: 253n };
        const request = begun(abilities.length > 0 ? fee : {});
        const payment = await open(request);
        const asked = suite.processor().openPayment({ ...request, ...other });
        expect(await problem(asked)).toEqual(rejected);
        await suite.harness().present(payment.clientSecret, 'approve');
        const kept = { status: 'authorized', amountMinor, ...(abilities.length > 0 && fee) };
        expect(await read(payment)).toMatchObject(kept);
      });
    }

    it('keeps the fee of the platform', async () => {
      needs('fees');
      for (const applicationFeeMinor of [253n, amountMinor]) {
        const payment = await authorize(begun({ applicationFeeMinor }));
        expect(await read(payment)).toMatchObject({ amountMinor, applicationFeeMinor });
      }
      expect(await read(await authorize())).toMatchObject({ applicationFeeMinor: 0n });
    });

    it('charges a tip as a part of the amount, and shows the same tip or none', async () => {
      const tipMinor = 200n;
      const tipped = await authorize(begun({ tipMinor }));
      const seen = await read(tipped);
      expect(seen).toMatchObject({ amountMinor });
      expect(seen.tipMinor ?? tipMinor).toBe(tipMinor);
      await value(capture(tipped));
      const captured = await read(tipped);
      expect(captured).toMatchObject({ amountMinor, capturedMinor: amountMinor });
      expect(captured.tipMinor ?? tipMinor).toBe(tipMinor);
      expect(await read(unreferenced(tipped))).toMatchObject({ reference: tipped.reference });
      expect((await read(await authorize())).tipMinor ?? 0n).toBe(0n);
    });

    it('keeps payments apart', async () => {
      const [first, second] = [await authorize(), await authorize()];
      expect(first.reference).not.toBe(second.reference);
      await value(capture(first));
      expect(await read(second)).toMatchObject({ status: 'authorized' });
    });

    it('can lose its reply', async () => {
      const request = begun();
      await suite.loseReply('openPayment');
      expect(await problem(suite.processor().openPayment(request))).toEqual(unknown);
      const { clientSecret } = await open(request);
      await suite.harness().present(clientSecret, 'approve');
      expect(await read(request)).toMatchObject({ status: 'authorized', clientSecret });
    });

    it('is rejected for an account that is not set up', async () => {
      const other = await suite.able('accountNotSetUp')();
      const request = begun({ account: other.id, currency: other.currency });
      expect(await problem(suite.processor().openPayment(request))).toEqual({ kind: 'notSetUp' });
    });
  });
}

/** Connection tokens of terminals (D24). */
export function tokensContract(suite: Suite): void {
  describe('connection tokens', () => {
    const token = (more: Partial<ProcessorAccount> = {}) => {
      const { id, terminalLocation } = { ...suite.account(), ...more };
      return suite.processor().createConnectionToken({
        account: id,
        ...(terminalLocation !== undefined && { terminalLocation }),
      });
    };

    it('are new for each call', async () => {
      const tokens = [await value(token()), await value(token())];
      for (const { clientSecret } of tokens) expect(clientSecret).not.toBe('');
      expect(tokens[0]).not.toEqual(tokens[1]);
    });

    it('are rejected for a location that the processor does not accept', async () => {
      const terminalLocation = suite.able('rejectedLocation');
      expect(await problem(token({ terminalLocation }))).toEqual(rejected);
    });

    it('are rejected for an account that is not set up', async () => {
      const other = await suite.able('accountNotSetUp')();
      expect(await problem(token(other))).toEqual({ kind: 'notSetUp' });
    });
  });
}

/** The effect of a card at a terminal on a payment. */
export function presentingContract(suite: Suite): void {
  const { needs, open, authorize, capture, read } = suite;

  describe('presenting a card', () => {
    it('authorizes the payment and shows the card', async () => {
      const payment = await authorize();
      const seen = await read(payment);
      expect(seen).toMatchObject({
        status: 'authorized',
        reference: payment.reference,
        amountMinor,
        card: { maskedPersonalAccountNumber: expect.any(String) },
        authorizedAt: expect.any(Number),
      });
      expect(seen.authorizedMinor ?? amountMinor).toBe(amountMinor);
      expect(seen.capturedMinor ?? 0n).toBe(0n);
      expect(seen.captureBefore ?? Number.POSITIVE_INFINITY).toBeGreaterThan(
        suite.harness().clock.now(),
      );
    });

    it('fails the payment on a decline, and accepts another card', async () => {
      needs('decline');
      const payment = await open();
      await suite.harness().present(payment.clientSecret, 'decline');
      expect(await read(payment)).toMatchObject({ status: 'failed' });
      await suite.harness().present(payment.clientSecret, 'approve');
      expect(await read(payment)).toMatchObject({ status: 'authorized' });
    });

    it('cancels the payment when the customer cancels', async () => {
      needs('cancelAtTerminal');
      const payment = await open();
      await suite.harness().present(payment.clientSecret, 'cancel');
      expect(await read(payment)).toMatchObject({ status: 'canceled' });
    });

    it('stays in processing while the bank takes its time, and is not captured', async () => {
      needs('processing');
      const payment = await open();
      const reference = await suite.harness().present(payment.clientSecret, 'process');
      const presented = { ...payment, reference };
      for (const handle of [payment, presented]) {
        expect(await read(handle)).toMatchObject({ status: 'processing', amountMinor });
      }
      const error = await problem(capture(presented));
      expect(error.kind).toMatch(/^(rejected|unavailable)$/);
      const seen = await read(presented);
      expect(seen.status).toBe('processing');
      expect(seen.capturedMinor ?? 0n).toBe(0n);
    });

    it('shows the approved amount', async () => {
      needs('approvePartly');
      const payment = await open();
      await suite.harness().present(payment.clientSecret, 'approvePartly');
      const seen = await read(payment);
      const card = { maskedPersonalAccountNumber: expect.any(String) };
      expect(seen).toMatchObject({ status: 'authorized', amountMinor, card });
      expect(seen.authorizedMinor).toBeLessThan(amountMinor);
    });
  });
}

/** The data of a receipt (D36). */
export function receiptsContract(suite: Suite): void {
  const { begun, open, authorize, capture } = suite;
  const it = suite.itNeeds('readReceipt');

  describe('receipts', () => {
    it('show how the card was read and approved', async () => {
      const payment = await authorize();
      const receipt = await value(suite.processor().readReceipt(payment));
      expect(receipt).toMatchObject({
        applicationIdentifier: expect.any(String),
        authorizationCode: expect.any(String),
      });
      await value(capture(payment));
      expect(await value(suite.processor().readReceipt(payment))).toEqual(receipt);
    });

    it('are undefined before a card was read', async () => {
      for (const payment of [await open(), begun()]) {
        expect(await value(suite.processor().readReceipt(payment))).toBeUndefined();
      }
    });
  });
}

/** Whole units, zeros at the end, the bounds of 32 bits, and the most digits of an amount (D2). */
const amounts = [
  100n,
  1000n,
  1010n,
  123_400n,
  9_999_990n,
  2_147_483_647n,
  2_147_483_648n,
  4_294_967_296n,
  90_071_992_547_409n,
  999_999_999_999_999n,
] as const;

/** Above it a processor may have a lower maximum. All of them take 99,999.99. */
const largeMinor = 10_000_000n;

/** How long an authorization may be held. */
const longestHoldMs = 60 * 24 * hourMs;

/** Amounts to the cent, and times in milliseconds. */
export function amountsContract(suite: Suite): void {
  const { begun, capture, read, authorize } = suite;

  describe('amounts', () => {
    const named = amounts.map((amountMinor) => ({ units: `${amountMinor}`, amountMinor }));
    it.for(named)('of $units minor units stay exact, or are rejected', async ({ amountMinor }) => {
      const request = begun({ amountMinor });
      const opened = await suite.processor().openPayment(request);
      if (opened.isErr()) {
        expect(amountMinor, 'an amount that is rejected').toBeGreaterThan(largeMinor);
        expect(opened.error).toEqual(rejected);
        return;
      }
      const { clientSecret } = opened.value;
      const reference = await suite.harness().present(clientSecret, 'approve');
      const payment = { ...request, reference };
      const seen = await read(payment);
      expect(seen).toMatchObject({ status: 'authorized', amountMinor });
      expect(seen.authorizedMinor ?? amountMinor).toBe(amountMinor);
      const captured = { status: 'captured', amountMinor, capturedMinor: amountMinor };
      expect(await value(capture(payment, { amountMinor }))).toMatchObject(captured);
      expect(await read(payment)).toMatchObject(captured);
      const booked = await suite.harness().books?.(reference);
      if (booked !== undefined) expect(booked).toEqual({ amountMinor, capturedMinor: amountMinor });
    });
  });

  describe('times', () => {
    it('are in milliseconds, near the processor’s clock', async () => {
      const now = suite.harness().clock.now();
      const isNear = (at: number | undefined, what: string) => {
        if (at !== undefined) expect(Math.abs(at - now), what).toBeLessThan(2 * minuteMs);
      };
      const payment = await authorize();
      const authorized = await read(payment);
      expect(authorized).not.toHaveProperty('capturedAt');
      const { captureBefore } = authorized;
      if (captureBefore !== undefined) {
        expect(captureBefore).toBeGreaterThan(now);
        expect(captureBefore).toBeLessThan(now + longestHoldMs);
      }
      const captured = await value(capture(payment));
      for (const seen of [authorized, captured, await read(payment)]) {
        isNear(seen.authorizedAt, 'authorizedAt');
        isNear(seen.capturedAt, 'capturedAt');
        isNear(seen.openedAt, 'openedAt');
        isNear(seen.at, 'at');
      }
      expect(captured.amountMinor).toBe(amountMinor);
    });
  });
}
