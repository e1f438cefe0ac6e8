import { hourMs, minuteMs } from '@chairside/core';
import { describe, expect, it } from 'vitest';
import { amountMinor, rejected, type Suite, value } from './suite.ts';

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
