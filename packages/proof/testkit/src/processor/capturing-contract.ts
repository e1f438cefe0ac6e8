import { describe, expect, it } from 'vitest';
import {
  amountMinor,
  problem,
  rejected,
  type Suite,
  saysNothingWasDone,
  timeless,
  value,
} from './suite.ts';

/** Capturing the authorized amount once, and no more (D13). */
export function capturingContract(suite: Suite): void {
  const { needs, open, authorize, capture, read } = suite;

  describe('capturing', () => {
    it('captures exactly the authorized amount', async () => {
      const payment = await authorize();
      const expected = {
        reference: payment.reference,
        status: 'captured',
        amountMinor,
        capturedMinor: amountMinor,
        currency: suite.account().currency,
        account: suite.account().id,
      };
      expect(await value(capture(payment))).toMatchObject(expected);
      expect(await read(payment)).toMatchObject(expected);
    });

    it('returns the same capture for the same key, and rejects another key', async () => {
      const payment = await authorize();
      const idempotencyKey = suite.key();
      const first = await value(capture(payment, { idempotencyKey }));
      expect(timeless(await value(capture(payment, { idempotencyKey })))).toEqual(timeless(first));
      expect(await problem(capture(payment))).toEqual(rejected);
      expect(await read(payment)).toMatchObject({ capturedMinor: amountMinor });
    });

    it('has one effect when two keys race', async () => {
      const payment = await authorize();
      const both = await Promise.all([capture(payment), capture(payment)]);
      expect(both.filter((result) => result.isOk())).toHaveLength(1);
      expect(await read(payment)).toMatchObject({ capturedMinor: amountMinor });
    });

    it('is rejected before a card was presented', async () => {
      expect(await problem(capture(await open()))).toEqual(rejected);
    });

    it('is rejected above the authorized amount', async () => {
      const payment = await authorize();
      const tooMuch = { amountMinor: amountMinor + 1n };
      expect(await problem(capture(payment, tooMuch))).toEqual(rejected);
      expect(await read(payment)).toMatchObject({ status: 'authorized' });
    });

    it('rejects a key that was used for another payment', async (test) => {
      needs(test, 'keysCoverCaptures');
      const [first, second] = [await authorize(), await authorize()];
      const idempotencyKey = suite.key();
      await value(capture(first, { idempotencyKey }));
      expect(await problem(capture(second, { idempotencyKey }))).toEqual(rejected);
      expect(await read(second)).toMatchObject({ status: 'authorized' });
    });

    it('is rejected above the approved amount', async (test) => {
      needs(test, 'approvePartly');
      const payment = await open();
      const reference = await suite.harness().present(payment.clientSecret, 'approvePartly');
      expect(await problem(capture({ ...payment, reference }))).toEqual(rejected);
      expect(await read(payment)).toMatchObject({ status: 'authorized' });
    });

    it('never captures more than the requested amount', async () => {
      for (const less of [amountMinor - 1n, amountMinor / 2n]) {
        const payment = await authorize();
        const answer = await capture(payment, { amountMinor: less });
        if (answer.isOk()) {
          // The amount of the books, beside the whole amount of the payment.
          const captured = { status: 'captured', amountMinor, capturedMinor: less };
          expect(answer.value).toMatchObject(captured);
          expect(await read(payment)).toMatchObject(captured);
        }
        const { capturedMinor = 0n } = await read(payment);
        expect(capturedMinor).toBeLessThanOrEqual(less);
        const booked = await suite.harness().books?.(payment.reference);
        if (booked !== undefined) expect(booked.capturedMinor).toBe(capturedMinor);
      }
    });

    it('is never reported in another currency', async () => {
      const payment = await authorize();
      const currency = suite.account().currency === 'eur' ? 'usd' : 'eur';
      const error = await problem(capture(payment, { currency }));
      if (saysNothingWasDone(error)) {
        expect(await read(payment)).toMatchObject({ status: 'authorized' });
      }
    });
  });
}
