import { minuteMs, secondMs } from '../domain/time.ts';

const firstWaitMs = 5 * secondMs;
const longestWaitMs = 60 * minuteMs;

/** The wait before `reconcile`'s next check: doubled after each failed check, up to an hour. */
export function backoffMs(checks: number): number {
  return Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(checks, 20));
}
