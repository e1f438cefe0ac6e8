import type { Cell } from './cell.ts';

/** How a record fills each column of its row. */
export type Encoders<Row, Stored> = Readonly<Record<keyof Row & string, (record: Stored) => Cell>>;

/** The columns of a table. */
export interface Columns<Stored> {
  readonly names: readonly string[];
  /** The values of the columns, in the order of their names. */
  cells(record: Stored): Cell[];
}

export function columnsOf<Row, Stored>(encoders: Encoders<Row, Stored>): Columns<Stored> {
  const encode: readonly ((record: Stored) => Cell)[] = Object.values(encoders);
  return { names: Object.keys(encoders), cells: (record) => encode.map((cell) => cell(record)) };
}
