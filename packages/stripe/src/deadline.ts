/** How much time is left of one call of the port, whatever it still has to look up. */
export interface Deadline {
  /** Whole milliseconds; zero or less when there is nothing left. */
  remainingMs(): number;
}

/** Kept back for what comes after the last reply. */
const reserveShare = 0.05;

/**
 * Measured by a monotonic clock, not by the clock port: a socket's time-out is no statement about
 * the world, and must pass in a test whose clock stands still.
 */
export function startDeadline(deadlineMs: number): Deadline {
  const end = performance.now() + deadlineMs * (1 - reserveShare);
  return { remainingMs: () => Math.floor(end - performance.now()) };
}
