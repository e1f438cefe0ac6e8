/** A value of a row as a store gives it: SQLite has no booleans, and JSON no exact large numbers. */
export type Flag = boolean | number;
export type Integer = number | bigint;
export type Minor = bigint | number | string;

/** A cell of a record before a store encodes it in its own types. */
export type Cell = string | number | bigint | boolean | null | undefined;

/** A count or an instant. Throws a RangeError where it has more digits than a number holds. */
export function toNumber(integer: Integer): number {
  const number = Number(integer);
  if (!Number.isSafeInteger(number)) throw new RangeError('A number has too many digits');
  return number;
}

/** Minor units. Throws where a number is not exact, or a text is no integer. */
export function toMinor(minor: Minor): bigint {
  if (typeof minor === 'number' && !Number.isSafeInteger(minor)) {
    throw new RangeError('An amount has too many digits');
  }
  return BigInt(minor);
}
