import { hourMs, minuteMs, type RateLimiter, type RateLimitState } from '@chairside/core';
import * as fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { someTime } from '../builders.ts';

const quota = { limit: 3, windowMs: minuteMs };

/**
 * Chairside's expectations of a rate limiter (D31). `open` returns an empty limiter, or several
 * that share their counts; the tests then use them in turn.
 */
export function rateLimiterContract(
  name: string,
  open: () => Promise<readonly [RateLimiter, ...RateLimiter[]]>,
): void {
  describe(name, () => {
    let limiters: readonly [RateLimiter, ...RateLimiter[]];
    let calls = 0;
    beforeEach(async () => {
      limiters = await open();
    });

    async function take(
      key: string,
      now: number,
      { policy = 'writes', limit = quota.limit } = {},
    ): Promise<RateLimitState> {
      calls += 1;
      const limiter = limiters[calls % limiters.length] ?? limiters[0];
      const taken = await limiter.take(policy, key, { ...quota, limit }, now);
      if (taken.isErr()) throw new Error(taken.error.kind);
      return taken.value;
    }

    it("returns the state of the caller's window", async () => {
      const common = { policy: 'writes', ...quota, resetsAt: someTime + minuteMs };
      expect(await take('a', someTime)).toEqual({ ...common, remaining: 2, allowed: true });
      expect(await take('a', someTime + 1)).toEqual({ ...common, remaining: 1, allowed: true });
      expect(await take('a', someTime + 2)).toEqual({ ...common, remaining: 0, allowed: true });
      const last = someTime + minuteMs - 1;
      expect(await take('a', last)).toEqual({ ...common, remaining: 0, allowed: false });
    });

    it('does not count calls beyond the limit, so that the window ends', async () => {
      for (let i = 0; i < 10; i += 1) await take('a', someTime + i);
      const next = someTime + minuteMs;
      const begun = { allowed: true, remaining: 2, resetsAt: next + minuteMs };
      expect(await take('a', next)).toMatchObject(begun);
    });

    it('counts each key and each policy separately', async () => {
      const keys = ['a', 'b', 'A', 'a b', 'a:b', "'; --", '😀', 'x'.repeat(1000), ''];
      for (const key of keys) expect(await take(key, someTime)).toMatchObject({ remaining: 2 });
      for (const key of keys) expect(await take(key, someTime)).toMatchObject({ remaining: 1 });
      const other = await take('a', someTime, { policy: 'reads' });
      expect(other).toMatchObject({ policy: 'reads', remaining: 2 });
    });

    it('rejects every call for a limit of zero', async () => {
      for (const now of [someTime, someTime + 1, someTime + minuteMs]) {
        const taken = await take('a', now, { limit: 0 });
        expect(taken).toMatchObject({ allowed: false, remaining: 0 });
        expect(taken.resetsAt).toBeGreaterThan(now);
      }
    });

    it('ends each window in time after a clock was wrong', async () => {
      for (let i = 0; i < 4; i += 1) await take('a', someTime + hourMs);
      const end = someTime + minuteMs;
      const used = { allowed: false, remaining: 0, resetsAt: end };
      expect(await take('a', someTime)).toMatchObject(used);
      expect(await take('a', end - 1)).toMatchObject(used);
      const begun = { allowed: true, remaining: 2, resetsAt: end + minuteMs };
      expect(await take('a', end)).toMatchObject(begun);
    });

    it('keeps the limit for concurrent calls', async () => {
      const taken = await Promise.all(Array.from({ length: 50 }, () => take('a', someTime)));
      expect(taken.filter(({ allowed }) => allowed)).toHaveLength(quota.limit);
    });

    it('keeps the limit in every window, at any time', async () => {
      const made = fc.array(fc.tuple(fc.constantFrom('a', 'b'), fc.nat(minuteMs)), {
        maxLength: 30,
      });
      await fc.assert(
        fc.asyncProperty(fc.uuid(), made, async (run, steps) => {
          const passed = new Map<string, number>();
          let now = someTime;
          for (const [key, wait] of steps) {
            now += wait;
            const { allowed, remaining, resetsAt } = await take(`${run} ${key}`, now);
            const window = `${key} ${resetsAt}`;
            const count = (passed.get(window) ?? 0) + (allowed ? 1 : 0);
            passed.set(window, count);
            expect(count).toBe(quota.limit - remaining);
            expect(resetsAt - now).toBeGreaterThan(0);
            expect(resetsAt - now).toBeLessThanOrEqual(minuteMs);
          }
        }),
        { numRuns: 30 },
      );
    });
  });
}
