import { foreignReference, hourMs, minuteMs } from '@chairside/core';
import { describe, expect, it } from 'vitest';
import { problem, type Suite, value } from './suite.ts';

/** The ledger entry of a payment, and the owner of a reference (D16). */
export function readingContract(suite: Suite): void {
  const { needs, begun, authorize, read } = suite;

  describe('reading', () => {
    it('returns no entry of a payment that was never opened', async () => {
      expect(await value(suite.processor().readPayment(begun()))).toBeUndefined();
    });

    it('returns no entry in another account', async () => {
      const payment = await authorize();
      const { reference: _reference, ...unreferenced } = payment;
      const elsewhere = { ...unreferenced, account: (await suite.harness().newAccount()).id };
      expect(await value(suite.processor().readPayment(elsewhere))).toBeUndefined();
    });

    it("states the processor's time, and when the payment was opened", async (test) => {
      needs(test, 'processorTime');
      needs(test, 'advance');
      const payment = await authorize();
      const { openedAt = 0, at = 0 } = await read(payment);
      // Some processors count whole seconds.
      expect(Math.abs(openedAt - payment.begunAt)).toBeLessThan(minuteMs);
      expect(at).toBeGreaterThanOrEqual(openedAt);
      await suite.able('advance')(hourMs);
      const later = await read(payment);
      expect(later.openedAt).toBe(openedAt);
      expect(Math.abs((later.at ?? 0) - at - hourMs)).toBeLessThan(minuteMs);
    });

    it("accepts a payment's own reference, known before or not", async () => {
      const { reference, ...unreferenced } = await authorize();
      const expected = { reference, status: 'authorized' };
      expect(await read({ ...unreferenced, reference }, reference)).toMatchObject(expected);
      expect(await read(unreferenced, reference)).toMatchObject(expected);
    });

    it('rejects a reference of another account', async () => {
      const { reference, ...unreferenced } = await authorize();
      const elsewhere = { ...unreferenced, account: (await suite.harness().newAccount()).id };
      const claim = suite.processor().readPayment(elsewhere, reference);
      expect(await problem(claim)).toEqual({ kind: 'rejected', reason: foreignReference });
    });

    it('rejects a reference of another payment, and an unknown one', async () => {
      const [mine, other] = [await authorize(), await authorize()];
      const { reference, ...unreferenced } = mine;
      const foreign = { kind: 'rejected', reason: foreignReference };
      for (const payment of [mine, unreferenced]) {
        for (const claimed of [other.reference, `${reference}x`, 'nothing', '']) {
          const claim = suite.processor().readPayment(payment, claimed);
          expect(await problem(claim), `claiming ${claimed}`).toEqual(foreign);
        }
      }
    });
  });
}
