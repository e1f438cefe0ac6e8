import type { Clock } from '@chairside/core';

/** The system's clock, which can be set ahead, so that leases end without waiting. */
export function createShiftedClock(aheadMs: number) {
  let ahead = aheadMs;
  const clock: Clock = { now: () => Date.now() + ahead };
  const setAhead = (aheadMs: number) => {
    ahead = aheadMs;
  };
  return { clock, setAhead };
}
