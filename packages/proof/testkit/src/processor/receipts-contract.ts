import { describe, expect, it } from 'vitest';
import { type Suite, value } from './suite.ts';

/** The data of a receipt (D36). */
export function receiptsContract(suite: Suite): void {
  const { needs, begun, open, authorize, capture } = suite;

  describe('receipts', () => {
    it('show how the card was read and approved', async (test) => {
      needs(test, 'readReceipt');
      const payment = await authorize();
      const receipt = await value(suite.processor().readReceipt(payment));
      expect(receipt).toMatchObject({
        applicationIdentifier: expect.any(String),
        authorizationCode: expect.any(String),
      });
      await value(capture(payment));
      expect(await value(suite.processor().readReceipt(payment))).toEqual(receipt);
    });

    it('are undefined before a card was read', async (test) => {
      needs(test, 'readReceipt');
      for (const payment of [await open(), begun()]) {
        expect(await value(suite.processor().readReceipt(payment))).toBeUndefined();
      }
    });

    it("are undefined for another installation's payment", async (test) => {
      needs(test, 'readReceipt');
      const { reference: _reference, ...payment } = await authorize();
      const elsewhere = { ...payment, installation: 'another' };
      expect(await value(suite.processor().readReceipt(elsewhere))).toBeUndefined();
    });
  });
}
