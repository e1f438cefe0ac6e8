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
