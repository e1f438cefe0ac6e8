import type { Work } from '../payment/payment.ts';

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

export interface Columns<T> {
  readonly names: readonly string[];
  /** The values of the columns, in the order of their names. */
  cells(record: T): Cell[];
}

/** A table of records. */
export interface Table<T, Row> extends Columns<T> {
  /** Throws for a corrupt row. */
  record(row: Row): T;
}

export function columnsOf<T>(encoders: Encoders<T>): Columns<T> {
  const encode = Object.values(encoders);
  return { names: Object.keys(encoders), cells: (record) => encode.map((cell) => cell(record)) };
}

export function tableOf<T, E extends Encoders<never>>(
  encoders: E & Encoders<T>,
  record: (row: RowOf<E>) => T,
): Table<T, RowOf<E>> {
  return { ...columnsOf<T>(encoders), record };
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

/** The columns of unfinished work, the same in each table that has them. */
export const workEncoders = {
  work_kind: ({ work }) => work?.kind,
  work_cause: ({ work }) => work?.cause,
  work_fence: ({ work }) => work?.fence,
  work_attempt: ({ work }) => work?.attempt,
  work_lease_until: ({ work }) => work?.leaseUntil,
} as const satisfies Encoders<{ readonly work?: Work | undefined }>;

/** Throws for a corrupt row. */
export function toWork(row: RowOf<typeof workEncoders>): Work | undefined {
  const { work_kind, work_cause, work_fence, work_attempt, work_lease_until } = row;
  if (work_kind === null) return undefined;
  if (work_fence === null || work_attempt === null || work_lease_until === null) {
    throw new TypeError('Corrupt row: some work columns are missing');
  }
  return {
    kind: work_kind,
    ...(work_cause !== null && { cause: work_cause }),
    fence: toNumber(work_fence),
    attempt: toNumber(work_attempt),
    leaseUntil: toNumber(work_lease_until),
  };
}

// A record as one text, for a store that keeps documents. JSON has no bigint, so a marked text stands
// for one. A text that begins with a mark gets another in front.
const bigintMark = 'n:';
const textMark = 's:';

export function toDocument(record: object): string {
  return JSON.stringify(record, (_, value: unknown) => {
    if (typeof value === 'bigint') return `${bigintMark}${value}`;
    // JSON would store the time of a broken clock as absent.
    if (typeof value === 'number' && !Number.isFinite(value)) {
      throw new RangeError('A number is not finite');
    }
    return typeof value === 'string' && /^[ns]:/.test(value) ? `${textMark}${value}` : value;
  });
}

interface Members {
  [name: string]: string | bigint | number | boolean | null | undefined | Members;
}

/** In place, because a reviver of JSON takes four times as long. */
function unmark(members: Members): void {
  for (const [name, value] of Object.entries(members)) {
    if (typeof value === 'object' && value !== null) unmark(value);
    if (typeof value !== 'string') continue;
    if (value.startsWith(bigintMark)) members[name] = BigInt(value.slice(bigintMark.length));
    if (value.startsWith(textMark)) members[name] = value.slice(textMark.length);
  }
}

/** Throws for a text that `toDocument` has not written. */
export function fromDocument<T extends object>(text: string): T {
  const record: T & Members = JSON.parse(text);
  unmark(record);
  return record;
}

/** A row of a table that keeps its records as documents. */
export interface DocumentRow {
  readonly document: string;
}

/** The keys are the columns that a store reads by. The document holds the whole record, so a new member needs no column. */
export function documentTable<T extends object>(keys: Encoders<T>): Table<T, DocumentRow> {
  return {
    ...columnsOf<T>({ ...keys, document: toDocument }),
    record: ({ document }) => fromDocument(document),
  };
}
