import {
  businessColumns,
  disputeColumns,
  paymentColumns,
  refundColumns,
} from '@chairside/core/storage';

const work = ['work_kind', 'work_cause', 'work_fence', 'work_attempt', 'work_lease_until'];

/** The columns of each table, in the order of a record's cells. */
export const columns = {
  keys: ['subject', 'key', 'operation', 'fingerprint', 'resource_id', 'problem', 'forget_at'],
  payments: paymentColumns,
  ledgers: ['appointment_id', 'open_payments', 'reserved_minor', 'captured_minor', 'currency'],
  events: ['subject', 'version', 'type', 'occurred_at', 'data', 'attempts'],
  setups: [
    ...['id', 'version', 'customer_id', 'save_payment_method', 'client_secret', 'reference'],
    ...['created_at', 'expires_at', 'outcome', ...work, 'next_check_at'],
  ],
  money_backs: ['account', 'kind', 'id', 'payment_id', 'amount_minor', 'at'],
  refunds: refundColumns,
  disputes: disputeColumns,
  reviews: [
    ...['id', 'reason', 'account', 'payment_id', 'reference', 'opened_at', 'resolved_at', 'note'],
  ],
  sweeps: ['account', 'swept_before', 'tried_at'],
  terminals: [
    ...['id', 'device_identifier', 'barber_id', 'business_id', 'platform', 'device_model'],
    ...['os_version', 'app_version', 'terminal_sdk_version', 'created_at', 'updated_at'],
  ],
  appointments: ['id', 'business_id', 'amount_due_minor', 'reference'],
  barbers: ['id', 'business_id'],
  businesses: businessColumns,
  financial_accounts: [
    ...['id', 'business_id', 'bank_name', 'masked_account_number', 'currency', 'is_default'],
  ],
  schedules: ['id', 'barber_id', 'name', 'hours'],
  payout_preferences: ['business_id', 'settings'],
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
