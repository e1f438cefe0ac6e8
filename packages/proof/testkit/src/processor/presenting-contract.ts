import { describe, expect, it } from 'vitest';
import { amountMinor, problem, type Suite, value } from './suite.ts';

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

    it('fails the payment on a decline, and accepts another card', async (test) => {
      needs(test, 'decline');
      const payment = await open();
      await suite.harness().present(payment.clientSecret, 'decline');
      expect(await read(payment)).toMatchObject({ status: 'failed' });
      await suite.harness().present(payment.clientSecret, 'approve');
      expect(await read(payment)).toMatchObject({ status: 'authorized' });
    });

    it('cancels the payment when the customer cancels', async (test) => {
      needs(test, 'cancelAtTerminal');
      const payment = await open();
      await suite.harness().present(payment.clientSecret, 'cancel');
      expect(await read(payment)).toMatchObject({ status: 'canceled' });
    });

    it('stays in processing while the bank takes its time, and is not captured', async (test) => {
      needs(test, 'processing');
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

    it('shows the approved amount', async (test) => {
      needs(test, 'approvePartly');
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
