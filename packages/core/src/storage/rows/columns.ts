/** A cell of a record before the store encodes it. */
export type Cell = string | number | bigint | boolean | null | undefined;

// A cell of a row from a store. SQLite has no booleans, and JSON has no exact large numbers.
type Flag = boolean | number;
export type Integer = number | bigint;
export type Minor = bigint | number | string;
type Stored<C extends Cell> = C extends null | undefined
  ? null
  : C extends boolean
    ? Flag
    : C extends number
      ? Integer
      : C extends bigint
        ? Minor
        : C;

/** How a record fills each column of its row, by the columns' names. */
export type Encoders<T> = Readonly<Record<string, (record: T) => Cell>>;

/** A row with these columns, as a store returns it. */
export type RowOf<E> = {
  readonly [Name in keyof E]: E[Name] extends (record: never) => infer C
    ? Stored<Extract<C, Cell>>
    : never;
};

/** The columns of a table. */
export interface Columns<T> {
  readonly names: readonly string[];
  /** The values of the columns, in the order of their names. */
  cells(record: T): Cell[];
}

export function columnsOf<T>(encoders: Encoders<T>): Columns<T> {
  const encode = Object.values(encoders);
  return { names: Object.keys(encoders), cells: (record) => encode.map((cell) => cell(record)) };
}

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
