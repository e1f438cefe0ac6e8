import { okAsync } from '../domain/result.ts';
import { minuteMs } from '../domain/time.ts';
import type { RateLimits } from '../ports/ports.ts';
import type { RateLimiter } from '../ports/rate-limiter.ts';

/** Calls a minute (D31). */
export const defaultRateLimits: RateLimits = {
  reads: { limit: 300, windowMs: minuteMs },
  writes: { limit: 60, windowMs: minuteMs },
  connectionTokens: { limit: 30, windowMs: minuteMs },
  challengeMethods: { limit: 10, windowMs: minuteMs },
  challengeTargets: { limit: 5, windowMs: minuteMs },
  failedAuthentications: { limit: 30, windowMs: minuteMs },
};

interface Window {
  used: number;
  resetsAt: number;
}

const defaultMaxWindows = 100_000;

/**
 * Counts in memory, in fixed windows: right for one process. Of each policy it remembers at most
 * `maxWindows` callers, and forgets the one that began longest ago first: whoever has many addresses
 * makes it forget addresses, and no barber's quota.
 */
export function createMemoryRateLimiter(maxWindows = defaultMaxWindows): RateLimiter {
  const policies = new Map<string, Map<string, Window>>();

  function windowsOf(policy: string): Map<string, Window> {
    const known = policies.get(policy);
    if (known !== undefined) return known;
    const windows = new Map<string, Window>();
    policies.set(policy, windows);
    return windows;
  }

  return {
    take(policy, key, { limit, windowMs }, now) {
      const windows = windowsOf(policy);
      let window = windows.get(key);
      if (window === undefined || window.resetsAt <= now) {
        // Deleting first moves the entry to the end: the map stays in order of beginning.
        windows.delete(key);
        if (windows.size >= maxWindows) windows.delete(windows.keys().next().value ?? '');
        window = { used: 0, resetsAt: now + windowMs };
        windows.set(key, window);
      }
      // A clock that was set back leaves a window in the future: nobody waits longer than a window.
      window.resetsAt = Math.min(window.resetsAt, now + windowMs);
      const allowed = window.used < limit;
      if (allowed) window.used += 1;
      const { resetsAt } = window;
      return okAsync({
        policy,
        limit,
        windowMs,
        remaining: limit - window.used,
        resetsAt,
        allowed,
      });
    },
  };
}
