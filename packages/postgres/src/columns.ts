import { tables } from '@chairside/core/storage';

/** The columns of each table, in the order of a record's cells. */
export const columns = {
  keys: tables.keys.names,
  payments: tables.payments.names,
  ledgers: ['appointment_id', 'open_payments', 'reserved_minor', 'captured_minor', 'currency'],
  events: ['subject', 'version', 'type', 'occurred_at', 'data', 'attempts'],
  setups: tables.setups.names,
  money_backs: tables.money_backs.names,
  refunds: tables.refunds.names,
  disputes: tables.disputes.names,
  reviews: tables.reviews.names,
  sweeps: tables.sweeps.names,
  terminals: tables.terminals.names,
  appointments: tables.appointments.names,
  barbers: tables.barbers.names,
  businesses: tables.businesses.names,
  financial_accounts: tables.financial_accounts.names,
  schedules: tables.schedules.names,
  payout_preferences: tables.payout_preferences.names,
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type Table = keyof typeof columns;

const flags = /^(reserved|save_payment_method|is_default|returns_fee|reverses_transfer)$/;
const integers =
  /^(at|checks|version|attempts|open_payments|count)$|_(at|before|until|minor|fence|attempt|points)$/;

/** The type of a column, derived from its name; a test compares it with the tables. */
export function typeOf(column: string): 'TEXT' | 'BIGINT' | 'BOOLEAN' {
  if (flags.test(column)) return 'BOOLEAN';
  return integers.test(column) ? 'BIGINT' : 'TEXT';
}

/** The column names of a table, for a statement. */
export function names(table: Table): string {
  return columns[table].join(', ');
}

/** The columns for reading: money as text, because JSON numbers are not exact beyond 2^53. */
export function shown(table: Table): string {
  return columns[table]
    .map((name) => (name.endsWith('_minor') ? `${name}::TEXT` : name))
    .join(', ');
}

/** The cells of a record, from the JSON array in a function's variable `record`. */
export function cells(table: Table): readonly string[] {
  return columns[table].map((name, index) => {
    const type = typeOf(name);
    return type === 'TEXT' ? `record->>${index}` : `(record->>${index})::${type}`;
  });
}
