import {
  appointmentColumns,
  barberColumns,
  businessColumns,
  disputeColumns,
  financialAccountColumns,
  keyColumns,
  moneyBackColumns,
  paymentColumns,
  payoutPreferencesColumns,
  refundColumns,
  reviewColumns,
  scheduleColumns,
  setupColumns,
  sweepColumns,
  terminalColumns,
} from '@chairside/core/storage';

/** The columns of each table, in the order of a record's cells. */
export const columns = {
  keys: keyColumns.names,
  payments: paymentColumns.names,
  ledgers: ['appointment_id', 'open_payments', 'reserved_minor', 'captured_minor', 'currency'],
  events: ['subject', 'version', 'type', 'occurred_at', 'data', 'attempts'],
  setups: setupColumns.names,
  money_backs: moneyBackColumns.names,
  refunds: refundColumns.names,
  disputes: disputeColumns.names,
  reviews: reviewColumns.names,
  sweeps: sweepColumns.names,
  terminals: terminalColumns.names,
  appointments: appointmentColumns.names,
  barbers: barberColumns.names,
  businesses: businessColumns.names,
  financial_accounts: financialAccountColumns.names,
  schedules: scheduleColumns.names,
  payout_preferences: payoutPreferencesColumns.names,
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type Table = keyof typeof columns;

const flags = /^(reserved|save_payment_method|is_default|returns_fee|reverses_transfer)$/;
const integers =
  /^(at|checks|version|attempts|open_payments)$|_(at|before|until|minor|fence|attempt|points)$/;

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
