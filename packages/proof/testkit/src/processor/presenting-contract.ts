import { describe, expect, it } from 'vitest';
import { amountMinor, type Suite } from './suite.ts';

/** The effect of a card at a terminal on a payment. */
export function presentingContract(suite: Suite): void {
  const { needs, open, authorize, read } = suite;

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

    it('shows the approved amount', async (test) => {
      needs(test, 'approvePartly');
      const payment = await open();
      await suite.harness().present(payment.clientSecret, 'approvePartly');
      const seen = await read(payment);
      expect(seen).toMatchObject({ status: 'authorized', amountMinor });
      expect(seen.authorizedMinor).toBeLessThan(amountMinor);
    });
  });
}
