import { changingColumns, tables } from '@chairside/core/storage';

/** The columns of each table that a change fills, in the order of its cells. */
export const columns = {
  ...tables,
  ledgers: {
    names: [
      'appointment_id',
      'open_payments',
      'reserved_minor',
      'captured_minor',
      'tendered_minor',
      'tips_minor',
      'currency',
    ],
  },
} as const;

export type Table = keyof typeof columns;

export function columnsOf(table: Table): readonly string[] {
  return columns[table].names;
}

/** The columns that an update sends: the id first, then those that may change. */
export function updatedColumns(table: Table): readonly string[] {
  return table === 'payments' ? ['id', ...changingColumns.names] : columnsOf(table);
}

const flags = /^(reserved|is_(default|missed|same_visit))$/;
const integers =
  /^(at|checks|number|version|attempts|open_payments)$|_(at|before|until|minor|fence|attempt)$/;

/** The type of a column, derived from its name; a test compares it with the tables. */
export function typeOf(column: string): 'TEXT' | 'BIGINT' | 'BOOLEAN' {
  if (flags.test(column)) return 'BOOLEAN';
  return integers.test(column) ? 'BIGINT' : 'TEXT';
}

/** The columns for reading: money as text, because JSON numbers are not exact beyond 2^53. */
export function shown(table: Table): string {
  return columnsOf(table)
    .map((name) => (name.endsWith('_minor') ? `${name}::TEXT` : name))
    .join(', ');
}

/** The values of these columns, from the JSON array in `change`. */
export function cellsOf(names: readonly string[]): readonly string[] {
  return names.map((name, index) => {
    const type = typeOf(name);
    return type === 'TEXT' ? `change->>${index}` : `(change->>${index})::${type}`;
  });
}
