import { changingColumns, tables } from '@chairside/core/storage';

type Table = keyof typeof tables;

const listed = (names: readonly string[]) => names.join(', ');
const marks = (names: readonly string[]) => names.map(() => '?').join(', ');

function insertInto(table: Table): string {
  const { names } = tables[table];
  return `INSERT INTO chairside_${table} (${listed(names)}) VALUES (${marks(names)})`;
}

/** Without effect if the record is there already. */
function insert(table: Table): string {
  return `${insertInto(table)} ON CONFLICT DO NOTHING`;
}

/** Inserts a record, or replaces everything behind the first column, which is the key. */
function put(table: Table): string {
  const [key, ...others] = tables[table].names;
  const excluded = others.map((name) => `excluded.${name}`);
  return `${insertInto(table)}
    ON CONFLICT (${key}) DO UPDATE SET (${listed(others)}) = (${listed(excluded)})`;
}

/** Updates the record with this id, if it has the expected version. */
function update(table: Table, names = tables[table].names): string {
  return `UPDATE chairside_${table} SET (${listed(names)}) = (${marks(names)})
    WHERE id = ? AND version = ?`;
}

/** Whether the subject has an earlier event. */
function hasEarlier(subject: string, version: string): string {
  return `EXISTS (SELECT 1 FROM chairside_events AS earlier
    WHERE earlier.subject = ${subject} AND earlier.version < ${version})`;
}

/**
 * All statements in one place, so that a test can check each query plan. The writes of every
 * payment have positional values, which bind faster than named ones. They avoid INSERT … SELECT,
 * for which SQLite keeps a copy of each changed page to undo the statement alone.
 */
export const sql = {
  beginRead: 'BEGIN',
  beginWrite: 'BEGIN IMMEDIATE',
  commit: 'COMMIT',
  rollback: 'ROLLBACK',
  savepoint: 'SAVEPOINT one_commit',
  release: 'RELEASE one_commit',
  rollbackTo: 'ROLLBACK TO one_commit',

  insertCommit: 'INSERT INTO chairside_commits (id, at) VALUES (?, ?) ON CONFLICT DO NOTHING',
  getCommit: 'SELECT 1 FROM chairside_commits WHERE id = ?',
  listOldestCommits: 'SELECT rowid, at FROM chairside_commits ORDER BY rowid LIMIT ?',
  forgetCommits: 'DELETE FROM chairside_commits WHERE rowid <= ? AND at < ?',

  insertKey: insert('keys'),
  finishKey: `UPDATE chairside_keys SET problem = ?
    WHERE subject = ? AND key = ? AND problem IS NULL`,
  getKey: 'SELECT * FROM chairside_keys WHERE subject = ? AND key = ?',
  deleteKeys: 'DELETE FROM chairside_keys WHERE resource_id = ?',
  forgetKeys: `DELETE FROM chairside_keys WHERE rowid IN
    (SELECT rowid FROM chairside_keys WHERE resource_id IS NULL AND forget_at <= ?
     ORDER BY forget_at LIMIT ?)`,

  insertPayment: insert('payments'),
  updatePayment: update('payments', changingColumns.names),
  deletePayment: 'DELETE FROM chairside_payments WHERE id = ? AND version = ?',
  getPayment: 'SELECT * FROM chairside_payments WHERE id = ?',
  listPaymentsByAppointment: `SELECT * FROM chairside_payments WHERE appointment_id = ?
    AND business_id = coalesce(?, business_id) ORDER BY created_at DESC, rowid DESC LIMIT ?`,
  listPaymentsDue: `SELECT * FROM chairside_payments WHERE next_check_at <= ?
    ORDER BY next_check_at LIMIT ?`,

  moveLedger: `INSERT INTO chairside_ledgers
      (appointment_id, open_payments, reserved_minor, captured_minor, currency)
      VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET
      open_payments = open_payments + excluded.open_payments,
      reserved_minor = reserved_minor + excluded.reserved_minor,
      captured_minor = captured_minor + excluded.captured_minor,
      currency = CASE WHEN reserved_minor + captured_minor <> 0 AND currency IS NOT NULL
        THEN currency ELSE excluded.currency END
    WHERE open_payments <= ? AND reserved_minor + captured_minor <= ?
      AND (NOT ? OR reserved_minor + captured_minor = 0
        OR coalesce(currency, excluded.currency) = excluded.currency)`,
  getLedger: 'SELECT * FROM chairside_ledgers WHERE appointment_id = ?',

  // Due at once, unless an earlier event of its subject waits for delivery.
  insertEvent: `INSERT INTO chairside_events
      (subject, version, type, occurred_at, data, attempts, deliver_at, is_dead)
    VALUES (?, ?, ?, ?, ?, 0, iif(${hasEarlier('?', '?')}, NULL, ?), 0)
    ON CONFLICT DO NOTHING`,
  leaseEvent: `UPDATE chairside_events SET attempts = attempts + 1, deliver_at = @deliverAt
    WHERE subject = @subject AND version = @version AND attempts = @attempts AND is_dead = 0
      AND NOT ${hasEarlier('@subject', '@version')}`,
  postponeEvent: `UPDATE chairside_events SET deliver_at = @deliverAt, is_dead = @deliverAt IS NULL
    WHERE subject = @subject AND version = @version
      AND (@attempts IS NULL OR attempts = @attempts)`,
  reviveEvent: `UPDATE chairside_events SET deliver_at = @deliverAt, is_dead = 0, attempts = 0
    WHERE subject = @subject AND version = @version AND is_dead = 1`,
  deleteEvent: `DELETE FROM chairside_events
    WHERE subject = @subject AND version = @version
      AND (@attempts IS NULL OR attempts = @attempts)
      AND NOT ${hasEarlier('@subject', '@version')}`,
  // Without a time, it is due since it occurred.
  wakeNextEvent: `UPDATE chairside_events SET deliver_at = ifnull(@deliverAt, occurred_at)
    WHERE subject = @subject AND is_dead = 0 AND deliver_at IS NULL
      AND version = (SELECT min(version) FROM chairside_events WHERE subject = @subject)`,
  forgetEvents: `DELETE FROM chairside_events WHERE rowid IN
    (SELECT rowid FROM chairside_events WHERE attempts = 0 AND deliver_at < ? LIMIT ?)
    RETURNING subject`,
  listEventsDue: `SELECT * FROM chairside_events AS due WHERE deliver_at <= ?
      AND NOT ${hasEarlier('due.subject', 'due.version')}
    ORDER BY deliver_at LIMIT ?`,
  listEventsDead: `SELECT * FROM chairside_events
    WHERE is_dead = 1 AND (subject, version) > (?, ?) ORDER BY subject, version LIMIT ?`,

  insertProcessorEvent: `INSERT INTO chairside_processor_events (id, at) VALUES (?, ?)
    ON CONFLICT DO NOTHING`,
  getProcessorEvent: 'SELECT 1 FROM chairside_processor_events WHERE id = ?',
  forgetProcessorEvents: `DELETE FROM chairside_processor_events WHERE id IN
    (SELECT id FROM chairside_processor_events WHERE at < ? ORDER BY at LIMIT ?)`,

  insertMoneyBack: insert('money_backs'),
  getMoneyBack: 'SELECT 1 FROM chairside_money_backs WHERE account = ? AND kind = ? AND id = ?',

  insertRefund: insert('refunds'),
  updateRefund: update('refunds'),
  deleteRefund: 'DELETE FROM chairside_refunds WHERE id = ? AND version = ?',
  getRefund: 'SELECT * FROM chairside_refunds WHERE id = ?',
  listRefundsByPayment: `SELECT * FROM chairside_refunds WHERE payment_id = ?
    ORDER BY id LIMIT ?`,
  listRefundsDue: `SELECT * FROM chairside_refunds WHERE next_check_at <= ?
    ORDER BY next_check_at LIMIT ?`,
  insertDispute: insert('disputes'),
  updateDispute: update('disputes'),
  getDispute: 'SELECT * FROM chairside_disputes WHERE id = ?',
  listDisputesByPayment: `SELECT * FROM chairside_disputes WHERE payment_id = ?
    ORDER BY id LIMIT ?`,
  listDisputes: `SELECT * FROM chairside_disputes WHERE state = ? AND id > ?
    ORDER BY id LIMIT ?`,

  insertReview: insert('reviews'),
  resolveReview: `UPDATE chairside_reviews SET (resolved_at, note) = (?, ?)
    WHERE id = ? AND resolved_at IS NULL`,
  resolvePaymentReviews: `UPDATE chairside_reviews SET (resolved_at, note) = (?, ?)
    WHERE payment_id = ? AND reason = ? AND resolved_at IS NULL`,
  getReview: 'SELECT * FROM chairside_reviews WHERE id = ?',
  listReviewsOpen: `SELECT * FROM chairside_reviews WHERE resolved_at IS NULL AND id > ?
    ORDER BY id LIMIT ?`,
  listReviewsResolved: `SELECT * FROM chairside_reviews WHERE resolved_at IS NOT NULL AND id > ?
    ORDER BY id LIMIT ?`,

  insertSetup: insert('setups'),
  updateSetup: update('setups'),
  deleteSetup: 'DELETE FROM chairside_setups WHERE id = ? AND version = ?',
  getSetup: 'SELECT * FROM chairside_setups WHERE id = ?',
  listSetupsDue: `SELECT * FROM chairside_setups WHERE next_check_at <= ?
    ORDER BY next_check_at LIMIT ?`,

  listSetupsByCustomer: `SELECT * FROM chairside_setups WHERE customer_id = ?
    ORDER BY created_at DESC LIMIT ?`,

  beginSweep: insert('sweeps'),
  putSweep: put('sweeps'),
  listSweeps: `SELECT * FROM chairside_sweeps WHERE swept_before <= ?
    ORDER BY tried_at LIMIT ?`,

  insertTerminal: insert('terminals'),
  deleteTerminal: 'DELETE FROM chairside_terminals WHERE id = ?',
  getTerminal: 'SELECT * FROM chairside_terminals WHERE id = ?',
  getTerminalByDevice: 'SELECT * FROM chairside_terminals WHERE device_identifier = ?',
  listTerminalsByBarber: `SELECT * FROM chairside_terminals WHERE barber_id = ?
    ORDER BY created_at DESC, rowid DESC LIMIT ?`,

  putAppointment: put('appointments'),
  getAppointment: 'SELECT * FROM chairside_appointments WHERE id = ?',
  putBarber: put('barbers'),
  getBarber: 'SELECT * FROM chairside_barbers WHERE id = ?',
  putBusiness: put('businesses'),
  getBusiness: 'SELECT * FROM chairside_businesses WHERE id = ?',
  clearDefaultAccount: `UPDATE chairside_financial_accounts SET is_default = 0
    WHERE business_id = ? AND is_default = 1`,
  putFinancialAccount: put('financial_accounts'),
  deleteFinancialAccount: `DELETE FROM chairside_financial_accounts
    WHERE id = ? AND business_id = ? AND is_default = 0`,
  getFinancialAccount: 'SELECT * FROM chairside_financial_accounts WHERE id = ?',
  putSchedule: put('schedules'),
  deleteSchedule: 'DELETE FROM chairside_schedules WHERE id = ? AND barber_id = ?',
  getSchedule: 'SELECT * FROM chairside_schedules WHERE id = ?',
  putPayoutPreferences: put('payout_preferences'),
  getPayoutPreferences: 'SELECT * FROM chairside_payout_preferences WHERE business_id = ?',
} as const;
