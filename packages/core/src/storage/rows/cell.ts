/** A value of a row from a store: SQLite has no booleans, and JSON has no exact large numbers. */
export type Flag = boolean | number;
export type Integer = number | bigint;
export type Minor = bigint | number | string;

/** A cell of a record before the store encodes it. */
export type Cell = string | number | bigint | boolean | null | undefined;

/** A count or a time. Throws a RangeError for values beyond a safe integer. */
export function toNumber(integer: Integer): number {
  const number = Number(integer);
  if (!Number.isSafeInteger(number)) throw new RangeError('A number has too many digits');
  return number;
}

/** Minor units. Throws for an inexact number and for text that is not an integer. */
export function toMinor(minor: Minor): bigint {
  if (typeof minor === 'number' && !Number.isSafeInteger(minor)) {
    throw new RangeError('An amount has too many digits');
  }
  return BigInt(minor);
}
