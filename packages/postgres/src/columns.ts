type Type = 'TEXT' | 'BIGINT' | 'BOOLEAN';

/** The columns of each table, in the order in which records are written, with their types. */
export const columns = {
  keys: {
    subject: 'TEXT',
    key: 'TEXT',
    operation: 'TEXT',
    fingerprint: 'TEXT',
    resource_id: 'TEXT',
    problem: 'TEXT',
    forget_at: 'BIGINT',
  },
  payments: {
    id: 'TEXT',
    appointment_id: 'TEXT',
    appointment: 'TEXT',
    business_id: 'TEXT',
    account: 'TEXT',
    currency: 'TEXT',
    amount_minor: 'BIGINT',
    created_at: 'BIGINT',
    state: 'TEXT',
    version: 'BIGINT',
    client_secret: 'TEXT',
    reference: 'TEXT',
    card: 'TEXT',
    authorized_at: 'BIGINT',
    captured_at: 'BIGINT',
    expires_at: 'BIGINT',
    updated_at: 'BIGINT',
    reserved: 'BOOLEAN',
    work_kind: 'TEXT',
    work_cause: 'TEXT',
    work_fence: 'BIGINT',
    work_attempt: 'BIGINT',
    work_lease_until: 'BIGINT',
    next_check_at: 'BIGINT',
    checks: 'BIGINT',
    review: 'TEXT',
    timeline: 'TEXT',
  },
  ledgers: {
    appointment_id: 'TEXT',
    open_payments: 'BIGINT',
    reserved_minor: 'BIGINT',
    captured_minor: 'BIGINT',
    currency: 'TEXT',
  },
  events: {
    subject: 'TEXT',
    version: 'BIGINT',
    type: 'TEXT',
    occurred_at: 'BIGINT',
    data: 'TEXT',
    attempts: 'BIGINT',
  },
  setups: {
    id: 'TEXT',
    version: 'BIGINT',
    customer_id: 'TEXT',
    save_payment_method: 'BOOLEAN',
    client_secret: 'TEXT',
    reference: 'TEXT',
    created_at: 'BIGINT',
    expires_at: 'BIGINT',
    outcome: 'TEXT',
    work_kind: 'TEXT',
    work_cause: 'TEXT',
    work_fence: 'BIGINT',
    work_attempt: 'BIGINT',
    work_lease_until: 'BIGINT',
    next_check_at: 'BIGINT',
  },
  money_backs: {
    account: 'TEXT',
    kind: 'TEXT',
    id: 'TEXT',
    payment_id: 'TEXT',
    amount_minor: 'BIGINT',
    at: 'BIGINT',
  },
  reviews: {
    id: 'TEXT',
    reason: 'TEXT',
    account: 'TEXT',
    payment_id: 'TEXT',
    reference: 'TEXT',
    opened_at: 'BIGINT',
    resolved_at: 'BIGINT',
    note: 'TEXT',
  },
  sweeps: { account: 'TEXT', swept_before: 'BIGINT', tried_at: 'BIGINT' },
  terminals: {
    id: 'TEXT',
    device_identifier: 'TEXT',
    barber_id: 'TEXT',
    business_id: 'TEXT',
    platform: 'TEXT',
    device_model: 'TEXT',
    os_version: 'TEXT',
    app_version: 'TEXT',
    terminal_sdk_version: 'TEXT',
    created_at: 'BIGINT',
    updated_at: 'BIGINT',
  },
  appointments: { id: 'TEXT', business_id: 'TEXT', amount_due_minor: 'BIGINT', reference: 'TEXT' },
  barbers: { id: 'TEXT', business_id: 'TEXT' },
  businesses: {
    id: 'TEXT',
    name: 'TEXT',
    account_id: 'TEXT',
    account_currency: 'TEXT',
    account_terminal_location: 'TEXT',
  },
  financial_accounts: {
    id: 'TEXT',
    business_id: 'TEXT',
    bank_name: 'TEXT',
    masked_account_number: 'TEXT',
    currency: 'TEXT',
    is_default: 'BOOLEAN',
  },
  schedules: { id: 'TEXT', barber_id: 'TEXT', name: 'TEXT', hours: 'TEXT' },
  payout_preferences: { business_id: 'TEXT', settings: 'TEXT' },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Type>>>>;

export type Table = keyof typeof columns;

/** The names of a table's columns, for a statement. */
export function names(table: Table): string {
  return Object.keys(columns[table]).join(', ');
}

/** The same to be read: money as text, since a number of JSON is not exact beyond 2^53. */
export function shown(table: Table): string {
  return Object.keys(columns[table])
    .map((name) => (name.endsWith('_minor') ? `${name}::TEXT` : name))
    .join(', ');
}

/** The cells of a record, which the variable `record` of a function holds in a JSON array. */
export function cells(table: Table): readonly string[] {
  return Object.values(columns[table]).map((type, index) =>
    type === 'TEXT' ? `record->>${index}` : `(record->>${index})::${type}`,
  );
}
