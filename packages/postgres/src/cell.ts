/** What is sent as a parameter. */
export type Cell = string | number | bigint | boolean | null;

/**
 * A BIGINT that is a count or an instant. PostgreSQL sends it as text, since it may hold more than
 * a number can. Throws a RangeError where it does.
 */
export function toNumber(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number)) throw new RangeError('A number has too many digits');
  return number;
}

/** A BIGINT that is minor units. Throws a SyntaxError for what is no integer. */
export function toMoney(text: string): bigint {
  return BigInt(text);
}
