import type { Clock } from '@chairside/core';
import { someTime } from './builders.ts';

/** A clock that moves only when a test moves it (D3). */
export interface ManualClock extends Clock {
  /** Moves the clock forward. */
  advance(ms: number): void;
}

export function createManualClock(start: number = someTime): ManualClock {
  let now = start;
  return {
    now: () => now,
    advance(ms) {
      now += ms;
    },
  };
}
