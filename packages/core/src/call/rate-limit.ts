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
 * Counts in memory, in fixed windows, which is right for a single process. It remembers at most
 * `maxWindows` callers of each policy and forgets the oldest first. A sender with many addresses
 * therefore displaces only addresses, never a barber's quota.
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
        // Deletes first, so that the entry moves to the end: the map stays in order of window
        // start.
        windows.delete(key);
        if (windows.size >= maxWindows) windows.delete(windows.keys().next().value ?? '');
        window = { used: 0, resetsAt: now + windowMs };
        windows.set(key, window);
      }
      // After a clock was set back, the window may end too far in the future. No caller waits
      // longer than one window.
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
