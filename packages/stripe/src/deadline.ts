/** The remaining time of one call of the port, including all its look-ups. */
export interface Deadline {
  /** In whole milliseconds; zero or less if the time is over. */
  remainingMs(): number;
}

/** Reserved for the work after the last reply. */
const reserveShare = 0.05;

/**
 * Uses a monotonic clock, not the clock port, because a socket's time-out must also pass in a test
 * with a stopped clock.
 */
export function startDeadline(deadlineMs: number): Deadline {
  const end = performance.now() + deadlineMs * (1 - reserveShare);
  return { remainingMs: () => Math.floor(end - performance.now()) };
}
