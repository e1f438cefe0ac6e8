const usual = 100;
const most = 1000;

/**
 * How much a call of upkeep does: what the host asks for, as a whole number from 1 to 1,000.
 * 100 where it asks for nothing, or for what is no number: that must not stop upkeep.
 */
export function toLimit(asked: number | undefined): number {
  const whole = Math.trunc(asked ?? usual);
  return Number.isNaN(whole) ? usual : Math.min(most, Math.max(1, whole));
}

/** The longest that a timer takes; with more, it ends at once. */
const longestTimeoutMs = 2 ** 31 - 1;

/** A host's limit of time as a timer takes it: the usual one where it is not above zero. */
export function toTimeoutMs(asked: number | undefined, usualMs: number): number {
  return asked !== undefined && asked > 0 ? Math.min(asked, longestTimeoutMs) : usualMs;
}
