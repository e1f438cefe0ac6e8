import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { now, value } from '../../test/support.ts';
import { createMemoryRateLimiter, defaultRateLimits } from './access.ts';

const quota = { limit: 2, windowMs: 1000 };

function limiter(maxWindows?: number) {
  const { take } = createMemoryRateLimiter(maxWindows);
  return async (key: string, at: number, policy = 'reads') =>
    value(await take(policy, key, quota, at));
}

describe('the rate limiter in memory', () => {
  it("returns the state of the caller's window", async () => {
    const take = limiter();
    const common = { policy: 'reads', limit: 2, windowMs: 1000, resetsAt: now + 1000 };
    expect(await take('a', now)).toEqual({ ...common, remaining: 1, allowed: true });
    expect(await take('a', now + 1)).toEqual({ ...common, remaining: 0, allowed: true });
    expect(await take('a', now + 999)).toEqual({ ...common, remaining: 0, allowed: false });
  });

  it('begins anew when the window ends, after any number of calls', async () => {
    const take = limiter();
    for (let i = 0; i < 10; i += 1) await take('a', now + i);
    expect(await take('a', now + 1000)).toMatchObject({ allowed: true, resetsAt: now + 2000 });
  });

  it('counts each key and each policy separately', async () => {
    const take = limiter();
    await take('a', now);
    await take('a', now);
    expect(await take('b', now)).toMatchObject({ remaining: 1 });
    expect(await take('a', now, 'writes')).toMatchObject({ remaining: 1 });
    expect(await take('a', now)).toMatchObject({ allowed: false });
  });

  it('forgets the oldest window when it is full (D63)', async () => {
    const take = limiter(3);
    await take('a', now);
    await take('b', now + 1);
    await take('a', now + 1000); // began anew: now b is the oldest
    await take('c', now + 1000);
    await take('d', now + 1000); // one too many
    expect(await take('a', now + 1000)).toMatchObject({ remaining: 0 });
    expect(await take('c', now + 1000)).toMatchObject({ remaining: 0 });
    expect(await take('b', now + 1000)).toMatchObject({ remaining: 1, resetsAt: now + 2000 });
  });

  it('keeps the windows of one policy when another is full', async () => {
    const { take } = createMemoryRateLimiter(2);
    const quota = { limit: 1, windowMs: 1000 };
    const isAllowed = async (policy: string, key: string) =>
      (await take(policy, key, quota, 0))._unsafeUnwrap().allowed;
    expect(await isAllowed('writes', 'ada')).toBe(true);
    for (const address of ['a', 'b', 'c']) await isAllowed('failedAuthentications', address);
    expect(await isAllowed('writes', 'ada')).toBe(false);
  });

  it('renews a window in place, without forgetting another', async () => {
    const take = limiter(2);
    await take('a', now);
    await take('b', now + 1);
    await take('b', now + 1001);
    expect(await take('b', now + 1001)).toMatchObject({ remaining: 0 });
    expect(await take('a', now + 999)).toMatchObject({ remaining: 0 });
  });

  it('still works if it may remember no window', async () => {
    expect(await limiter(0)('a', now)).toMatchObject({ allowed: true });
  });

  it('keeps the limit in every window, in any order of calls', async () => {
    const calls = fc.array(fc.tuple(fc.constantFrom('a', 'b'), fc.nat(700)), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(calls, async (made) => {
        const take = limiter();
        const allowed = new Map<string, number>();
        let at = now;
        for (const [key, wait] of made) {
          at += wait;
          const state = await take(key, at);
          const window = `${key} ${state.resetsAt}`;
          const count = (allowed.get(window) ?? 0) + (state.allowed ? 1 : 0);
          allowed.set(window, count);
          expect(state.resetsAt).toBeGreaterThan(at);
          expect(count).toBe(quota.limit - state.remaining);
        }
        expect(Math.max(0, ...allowed.values())).toBeLessThanOrEqual(quota.limit);
      }),
    );
  });
});

it('has the limits of D31 by default', () => {
  const perMinute = Object.entries(defaultRateLimits).map(([name, { limit, windowMs }]) => [
    name,
    limit * (60_000 / windowMs),
  ]);
  expect(Object.fromEntries(perMinute)).toEqual({
    reads: 300,
    writes: 60,
    connectionTokens: 30,
    challengeMethods: 10,
    challengeTargets: 5,
    failedAuthentications: 30,
  });
});
