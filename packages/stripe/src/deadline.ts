import { type Clock, hourMs } from '@chairside/core';

/** The remaining time of one call of the port, including all its look-ups. */
export interface Deadline {
  /** In whole milliseconds; zero or less if the time is over. */
  remainingMs(): number;
}

/** Reserved for the work after the last reply. */
const reserveShare = 0.05;

/** Far longer than a call, and far shorter than the life of a key at Stripe. */
const asleepMs = hourMs;

/**
 * Uses a monotonic clock, because a socket's time-out must also pass in a test with a stopped clock.
 * A monotonic clock may stand still while the machine sleeps. So the clock port ends a call as well: a
 * call that goes on a day later must send no key that Stripe has forgotten.
 */
export function startDeadline(deadlineMs: number, clock: Clock): Deadline {
  const end = performance.now() + deadlineMs * (1 - reserveShare);
  const asleepAt = clock.now() + asleepMs;
  return {
    remainingMs: () => (clock.now() < asleepAt ? Math.floor(end - performance.now()) : 0),
  };
}
