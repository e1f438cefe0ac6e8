/** What is sent as a value. */
export type Cell = string | number | bigint | boolean | null;

/** A count or an instant. Throws a RangeError where the server has more digits than a number. */
export function toNumber(number: number): number {
  if (!Number.isSafeInteger(number)) throw new RangeError('A number has too many digits');
  return number;
}

/** A BIGINT that is minor units. Throws a SyntaxError for what is no integer. */
export function toMoney(text: string): bigint {
  return BigInt(text);
}
