const usual = 100;
const most = 1000;

/**
 * How many items a call of the host lists or processes: its limit, as a whole number from 1 to 1,000.
 * Missing or NaN counts as 100, because a wrong limit must not stop upkeep.
 */
export function toLimit(asked: number | undefined): number {
  const whole = Math.trunc(asked ?? usual);
  return Number.isNaN(whole) ? usual : Math.min(most, Math.max(1, whole));
}

/** The longest timer delay. Longer delays fire at once. */
const longestTimeoutMs = 2 ** 31 - 1;

/** A host's timeout as a valid timer delay. Values that are not above zero give the default. */
export function toTimeoutMs(asked: number | undefined, usualMs: number): number {
  return asked !== undefined && asked > 0 ? Math.min(asked, longestTimeoutMs) : usualMs;
}
