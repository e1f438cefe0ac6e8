import { err, ok, type Result } from './result.ts';

/** The wire form of money: an exact decimal with two fractional digits. */
export const moneyPattern = /^-?(?:0|[1-9][0-9]*)\.[0-9]{2}$/;

/** Amounts have at most this many digits. */
export const maxMoneyDigits = 15;

/**
 * Parses an amount into minor units: `45.00` is `4500n`. Fails with `malformed` for every other
 * form, such as `45` or `45.000`, and with `tooLarge` above 15 digits.
 */
export function parseMoney(wire: string): Result<bigint, 'malformed' | 'tooLarge'> {
  // Hosts without types may pass any value.
  if (typeof wire !== 'string' || !moneyPattern.test(wire)) return err('malformed');
  if (wire.length > maxMoneyDigits + 2) return err('tooLarge');
  const minor = BigInt(wire.replace('.', ''));
  return canBeMoney(minor) ? ok(minor) : err('tooLarge');
}

/** Writes minor units in the wire form: `4500n` is `45.00`. Any value but a bigint is `NaN`. */
export function formatMoney(minor: bigint): string {
  // Hosts without types may pass a number, of which nobody knows whether it is in minor units.
  if (typeof minor !== 'bigint') return 'NaN';
  return toDecimal(minor, 2);
}

/**
 * Currencies without exactly two decimals. ISO gives `mga` two, but Stripe counts it in whole ariary.
 * `huf` and `twd` have two: Stripe pays them out in whole units, but counts hundredths. It counts `isk`
 * and `ugx` in hundredths too, which its adapter undoes.
 */
const withoutDecimals =
  /^(?:bif|clp|djf|gnf|isk|jpy|kmf|krw|mga|pyg|rwf|ugx|uyi|vnd|vuv|xaf|xof|xpf)$/;
const withThreeDecimals = /^(?:bhd|iqd|jod|kwd|lyd|omr|tnd)$/;
const withFourDecimals = /^(?:clf|uyw)$/;

/** The decimals of a currency (ISO 4217, lower case); two for one that is not known. */
export function decimalsOf(currency: string): number {
  if (withoutDecimals.test(currency)) return 0;
  if (withThreeDecimals.test(currency)) return 3;
  return withFourDecimals.test(currency) ? 4 : 2;
}

/**
 * Writes minor units of any currency. Payments have two decimals, but a payout and a dispute may
 * come in another currency: `7000n` of `jpy` is `7000`.
 */
export function formatMoneyIn(minor: bigint, currency: string): string {
  return toDecimal(minor, decimalsOf(currency));
}

function toDecimal(minor: bigint, decimals: number): string {
  const magnitude = (minor < 0n ? -minor : minor).toString().padStart(decimals + 1, '0');
  const sign = minor < 0n ? '-' : '';
  if (decimals === 0) return `${sign}${magnitude}`;
  return `${sign}${magnitude.slice(0, -decimals)}.${magnitude.slice(-decimals)}`;
}

/** Whether the amount is valid: at most 15 digits. */
export function canBeMoney(minor: bigint): boolean {
  return (minor < 0n ? -minor : minor).toString().length <= maxMoneyDigits;
}

/**
 * An amount of one currency. Its minor units come out only for a caller that names this currency, so that
 * nobody adds or compares the amounts of two currencies.
 */
export class Money {
  readonly #minor: bigint;
  /** Absent where nothing says the currency yet: the amount then counts in any one. */
  readonly currency: string | undefined;

  constructor(minor: bigint, currency: string | undefined) {
    this.#minor = minor;
    this.currency = currency;
  }

  /** The minor units; `undefined` if the amount is in another currency. */
  in(currency: string): bigint | undefined {
    return this.currency === undefined || this.currency === currency ? this.#minor : undefined;
  }
}

/** The sum of amounts in this currency; `undefined` if one of them is in another. */
export function sumIn(currency: string, amounts: Iterable<Money>): bigint | undefined {
  let sum = 0n;
  for (const amount of amounts) {
    const minor = amount.in(currency);
    if (minor === undefined) return undefined;
    sum += minor;
  }
  return sum;
}
