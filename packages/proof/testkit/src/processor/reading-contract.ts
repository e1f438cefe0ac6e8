import { hourMs, minuteMs } from '@chairside/core';
import { foreignReference } from '@chairside/core/ports';
import { describe, expect, it } from 'vitest';
import { problem, type Suite, value } from './suite.ts';

/** The entry of a payment, and the owner of a reference (D16). */
export function readingContract(suite: Suite): void {
  const { needs, begun, open, authorize, capture, read } = suite;

  /** Two entries of one payment, opened under two keys. */
  async function openedTwice() {
    const { idempotencyKey, ...payment } = begun();
    const ask = (key: string) =>
      value(suite.processor().openPayment({ ...payment, idempotencyKey: key }));
    const first = await ask(idempotencyKey);
    const second = await ask(suite.key());
    expect(second.clientSecret).not.toBe(first.clientSecret);
    return { first, second, payment };
  }

  describe('reading', () => {
    it('returns no entry of a payment that was never opened', async () => {
      expect(await value(suite.processor().readPayment(begun()))).toBeUndefined();
    });

    it("states the processor's time, and when the payment was opened", async (test) => {
      needs(test, 'processorTime', 'advance');
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

    it("accepts a payment's own reference before a card was presented, if the opening names it", async (test) => {
      needs(test, 'readBeforeCard');
      const { reference, ...unreferenced } = await open();
      if (reference === undefined) return;
      for (const handle of [unreferenced, { ...unreferenced, reference }]) {
        expect(await read(handle, reference)).toMatchObject({ reference, status: 'created' });
      }
    });

    describe('of a payment that was opened twice', () => {
      const ends = [
        { newer: undefined, older: 'approve', status: 'authorized' },
        { newer: 'approve', older: undefined, status: 'authorized' },
        { newer: 'decline', older: 'approve', status: 'authorized' },
        { newer: 'cancel', older: 'approve', status: 'authorized' },
        { newer: undefined, older: 'decline', status: 'failed' },
        { newer: 'cancel', older: undefined, status: 'created' },
      ] as const;
      const capabilities = { decline: 'decline', cancel: 'cancelAtTerminal' } as const;

      // The first call may be applied after a read that found nothing.
      for (const { newer, older, status } of ends) {
        const named = `newer ${newer ?? 'without a card'}, older ${older ?? 'without a card'}`;
        it(`shows the one that went furthest: ${named}`, async (test) => {
          needs(test, 'readBeforeCard');
          for (const card of [newer, older]) {
            if (card === 'decline' || card === 'cancel') needs(test, capabilities[card]);
          }
          const { first, second, payment } = await openedTwice();
          if (newer !== undefined) await suite.harness().present(second.clientSecret, newer);
          if (older !== undefined) await suite.harness().present(first.clientSecret, older);
          const seen = await read(payment);
          expect(seen.status).toBe(status);
          const furthest = newer === 'approve' ? second : first;
          expect(seen.clientSecret).toBe(furthest.clientSecret);
        });
      }

      it('shows the captured one beside an authorized one', async () => {
        const { first, second, payment } = await openedTwice();
        const reference = await suite.harness().present(first.clientSecret, 'approve');
        await suite.harness().present(second.clientSecret, 'approve');
        await value(capture({ ...payment, reference }));
        expect(await read(payment)).toMatchObject({ status: 'captured', reference });
      });
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
