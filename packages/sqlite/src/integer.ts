/**
 * Minor units as SQLite keeps them: exact up to 2^53, far above the 15 digits of D2.
 * Throws a RangeError beyond that, before anything is written.
 */
export function toInteger(minor: bigint): number {
  const integer = Number(minor);
  if (!Number.isSafeInteger(integer)) throw new RangeError('An amount has too many digits');
  return integer;
}

/** The way back. Throws a RangeError for what {@link toInteger} never wrote. */
export function fromInteger(integer: number): bigint {
  if (!Number.isSafeInteger(integer)) throw new RangeError('An amount has too many digits');
  return BigInt(integer);
}
