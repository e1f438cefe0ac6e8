import { err, ok, type Result } from './result.ts';

/** The wire form of money: an exact decimal with two fractional digits. */
export const moneyPattern = /^-?(?:0|[1-9][0-9]*)\.[0-9]{2}$/;

/** Amounts have at most this many digits (D2). */
export const maxMoneyDigits = 15;

/**
 * Parses an amount that already matches {@link moneyPattern} into minor units (D2). Fails with
 * `tooLarge` above 15 digits.
 */
export function parseMoney(wire: string): Result<bigint, 'tooLarge'> {
  const minor = BigInt(wire.replace('.', ''));
  return canBeMoney(minor) ? ok(minor) : err('tooLarge');
}

/** Writes minor units in the wire form: `4500n` is `45.00`. */
export function formatMoney(minor: bigint): string {
  const magnitude = (minor < 0n ? -minor : minor).toString().padStart(3, '0');
  return `${minor < 0n ? '-' : ''}${magnitude.slice(0, -2)}.${magnitude.slice(-2)}`;
}

/** Whether the amount is valid: at most 15 digits (D2). */
export function canBeMoney(minor: bigint): boolean {
  return (minor < 0n ? -minor : minor).toString().length <= maxMoneyDigits;
}
