import type { Clock } from '@chairside/core';

/** The system's clock, which may be set ahead: nothing has to wait for a lease to run out. */
export function createShiftedClock(aheadMs: number) {
  let ahead = aheadMs;
  const clock: Clock = { now: () => Date.now() + ahead };
  const setAhead = (aheadMs: number) => {
    ahead = aheadMs;
  };
  return { clock, setAhead };
}
