import type { EpochMs } from '../domain/time.ts';

/**
 * The only source of time, in every package (D3). A test's clock moves only when the test sets it.
 */
export interface Clock {
  /** Whole milliseconds since 1970, as `Date.now()` returns them. */
  now(): EpochMs;
}

/** The clock of the node. */
export const systemClock: Clock = { now: () => Date.now() };
