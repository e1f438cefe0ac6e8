import { describe, expect, it } from 'vitest';
import {
  amountMinor,
  present,
  problem,
  rejected,
  type Suite,
  timeless,
  unknown,
  value,
} from './suite.ts';

/** Canceling opened and authorized payments; a cancelation holds for every key (D17). */
export function cancelingContract(suite: Suite): void {
  const { needs, begun, open, authorize, capture, cancel, read } = suite;

  describe('canceling', () => {
    it('cancels a payment before a card was presented', async (test) => {
      needs(test, 'readBeforeCard');
      const payment = await open();
      expect(await value(cancel(payment))).toMatchObject({ status: 'canceled' });
      expect(await read(payment)).toMatchObject({ status: 'canceled' });
    });

    it('leaves a payment that accepts no card', async (test) => {
      needs(test, 'readBeforeCard');
      const payment = await open();
      await value(cancel(payment));
      // The terminal refuses, or the card changes nothing.
      await suite
        .harness()
        .present(payment.clientSecret, 'approve')
        .catch(() => undefined);
      expect(await read(payment)).toMatchObject({ status: 'canceled' });
      expect(await problem(capture(payment))).toEqual(rejected);
    });

    it('cancels an authorized payment, which can then not be captured', async () => {
      const payment = await authorize();
      expect(await value(cancel(payment))).toMatchObject({ status: 'canceled' });
      expect(await problem(capture(payment))).toEqual(rejected);
      const seen = await read(payment);
      expect(seen.status).toBe('canceled');
      expect(seen.capturedMinor ?? 0n).toBe(0n);
    });

    for (const card of ['approve', undefined] as const) {
      it(`returns a canceled payment again under any key: ${card ?? 'without a card'}`, async (test) => {
        if (card === undefined) needs(test, 'readBeforeCard');
        const payment = card === undefined ? await open() : await authorize();
        const idempotencyKey = suite.key();
        const first = await present(value(cancel(payment, { idempotencyKey })));
        expect(first).toMatchObject({ status: 'canceled' });
        for (const again of [{ idempotencyKey }, {}, { idempotencyKey }]) {
          expect(timeless(await value(cancel(payment, again)))).toEqual(timeless(first));
        }
      });
    }

    it('has one effect when two keys race', async () => {
      const payment = await authorize();
      const both = await Promise.all([cancel(payment), cancel(payment)]);
      expect(both.some((result) => result.isOk())).toBe(true);
      for (const result of both) {
        if (result.isOk()) expect(result.value).toMatchObject({ status: 'canceled' });
        else expect(result.error).toEqual(unknown);
      }
      expect(await read(payment)).toMatchObject({ status: 'canceled' });
    });

    it('and a concurrent capture have one effect between them', async () => {
      const payment = await authorize();
      const [captured, canceled] = await Promise.all([capture(payment), cancel(payment)]);
      const { status } = await read(payment);
      expect(captured.isOk()).toBe(status === 'captured');
      expect(canceled.isOk()).toBe(status === 'canceled');
      expect(captured.isOk()).not.toBe(canceled.isOk());
    });

    it('rejects a key that was used for another payment', async (test) => {
      needs(test, 'keysCoverCaptures');
      const [first, second] = [await authorize(), await authorize()];
      const idempotencyKey = suite.key();
      await value(cancel(first, { idempotencyKey }));
      expect(await problem(cancel(second, { idempotencyKey }))).toEqual(rejected);
      expect(await read(second)).toMatchObject({ status: 'authorized' });
    });

    it('is rejected for a captured payment', async () => {
      const payment = await authorize();
      await value(capture(payment));
      const idempotencyKey = suite.key();
      for (const key of [idempotencyKey, idempotencyKey, suite.key()]) {
        expect(await problem(cancel(payment, { idempotencyKey: key }))).toEqual(rejected);
      }
      expect(await read(payment)).toMatchObject({ status: 'captured', capturedMinor: amountMinor });
    });

    it('returns undefined for a payment that was never opened', async () => {
      expect(await value(cancel(begun()))).toBeUndefined();
    });
  });
}
