import { AsyncLocalStorage } from 'node:async_hooks';
import { type Clock, hourMs } from '@chairside/core';

/** The remaining time of one call of the port, including all its look-ups. */
export interface Deadline {
  /** In whole milliseconds; zero or less if the time is over. */
  remainingMs(): number;
}

/**
 * The deadline of the call that sends a request, for the transport. The SDK passes on only a number of
 * milliseconds, which says nothing after a sleep of the machine.
 */
export const sendingDeadline = new AsyncLocalStorage<Deadline>();

/** Whether a request may still be sent. A request outside a call has no time. */
export function maySend(deadline: Deadline | undefined): boolean {
  return deadline !== undefined && deadline.remainingMs() >= 1;
}

/** A share of the remaining time, so that another request can follow. */
export function partOf(deadline: Deadline, share: number): Deadline {
  const laterMs = deadline.remainingMs() * (1 - share);
  return { remainingMs: () => Math.floor(deadline.remainingMs() - laterMs) };
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
