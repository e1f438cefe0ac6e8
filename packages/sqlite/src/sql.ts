import {
  businessColumns,
  changingColumns,
  disputeColumns,
  paymentColumns,
  refundColumns,
} from '@chairside/core/storage';

const excluded = (columns: readonly string[]) =>
  columns.map((name) => `excluded.${name}`).join(', ');
const marks = (columns: readonly unknown[]) => columns.map(() => '?').join(', ');

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

  insertKey: `INSERT INTO chairside_keys
    (subject, key, operation, fingerprint, resource_id, problem, forget_at)
    VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING`,
  finishKey: `UPDATE chairside_keys SET problem = ?
    WHERE subject = ? AND key = ? AND problem IS NULL`,
  getKey: 'SELECT * FROM chairside_keys WHERE subject = ? AND key = ?',
  deleteKeys: 'DELETE FROM chairside_keys WHERE resource_id = ?',
  forgetKeys: `DELETE FROM chairside_keys WHERE rowid IN
    (SELECT rowid FROM chairside_keys WHERE resource_id IS NULL AND forget_at <= ?
     ORDER BY forget_at LIMIT ?)`,

  insertPayment: `INSERT INTO chairside_payments (${paymentColumns.join(', ')})
    VALUES (${marks(paymentColumns)}) ON CONFLICT DO NOTHING`,
  updatePayment: `UPDATE chairside_payments SET (${changingColumns.join(', ')}) =
    (${marks(changingColumns)}) WHERE id = ? AND version = ?`,
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

  insertMoneyBack: `INSERT INTO chairside_money_backs
    (account, kind, id, payment_id, amount_minor, at) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING`,
  getMoneyBack: 'SELECT 1 FROM chairside_money_backs WHERE account = ? AND kind = ? AND id = ?',

  insertRefund: `INSERT INTO chairside_refunds (${refundColumns.join(', ')})
    VALUES (${marks(refundColumns)}) ON CONFLICT DO NOTHING`,
  updateRefund: `UPDATE chairside_refunds SET (${refundColumns.join(', ')}) =
    (${marks(refundColumns)}) WHERE id = ? AND version = ?`,
  deleteRefund: 'DELETE FROM chairside_refunds WHERE id = ? AND version = ?',
  getRefund: 'SELECT * FROM chairside_refunds WHERE id = ?',
  listRefundsByPayment: `SELECT * FROM chairside_refunds WHERE payment_id = ?
    ORDER BY id LIMIT ?`,
  listRefundsDue: `SELECT * FROM chairside_refunds WHERE next_check_at <= ?
    ORDER BY next_check_at LIMIT ?`,
  insertDispute: `INSERT INTO chairside_disputes (${disputeColumns.join(', ')})
    VALUES (${marks(disputeColumns)}) ON CONFLICT DO NOTHING`,
  updateDispute: `UPDATE chairside_disputes SET (${disputeColumns.join(', ')}) =
    (${marks(disputeColumns)}) WHERE id = ? AND version = ?`,
  getDispute: 'SELECT * FROM chairside_disputes WHERE id = ?',
  listDisputesByPayment: `SELECT * FROM chairside_disputes WHERE payment_id = ?
    ORDER BY id LIMIT ?`,
  listDisputes: `SELECT * FROM chairside_disputes WHERE state = ? AND id > ?
    ORDER BY id LIMIT ?`,

  insertReview: `INSERT INTO chairside_reviews
    (id, reason, account, payment_id, reference, opened_at, resolved_at, note)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  resolveReview: `UPDATE chairside_reviews SET (resolved_at, note) = (?, ?)
    WHERE id = ? AND resolved_at IS NULL`,
  resolvePaymentReviews: `UPDATE chairside_reviews SET (resolved_at, note) = (?, ?)
    WHERE payment_id = ? AND reason = ? AND resolved_at IS NULL`,
  getReview: 'SELECT * FROM chairside_reviews WHERE id = ?',
  listReviewsOpen: `SELECT * FROM chairside_reviews WHERE resolved_at IS NULL AND id > ?
    ORDER BY id LIMIT ?`,
  listReviewsResolved: `SELECT * FROM chairside_reviews WHERE resolved_at IS NOT NULL AND id > ?
    ORDER BY id LIMIT ?`,

  insertSetup: `INSERT INTO chairside_setups
    (customer_id, save_payment_method, version, client_secret, reference, created_at, expires_at,
     outcome, work_kind, work_cause, work_fence, work_attempt, work_lease_until, next_check_at, id)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  updateSetup: `UPDATE chairside_setups SET
    (customer_id, save_payment_method, version, client_secret, reference, created_at, expires_at,
     outcome, work_kind, work_cause, work_fence, work_attempt, work_lease_until, next_check_at) =
    (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) WHERE id = ? AND version = ?`,
  deleteSetup: 'DELETE FROM chairside_setups WHERE id = ? AND version = ?',
  getSetup: 'SELECT * FROM chairside_setups WHERE id = ?',
  listSetupsDue: `SELECT * FROM chairside_setups WHERE next_check_at <= ?
    ORDER BY next_check_at LIMIT ?`,

  listSetupsByCustomer: `SELECT * FROM chairside_setups WHERE customer_id = ?
    ORDER BY created_at DESC LIMIT ?`,

  beginSweep: `INSERT INTO chairside_sweeps (account, swept_before, tried_at) VALUES (?, ?, ?)
    ON CONFLICT DO NOTHING`,
  putSweep: `INSERT INTO chairside_sweeps (account, swept_before, tried_at) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET (swept_before, tried_at) = (excluded.swept_before, excluded.tried_at)`,
  listSweeps: `SELECT * FROM chairside_sweeps WHERE swept_before <= ?
    ORDER BY tried_at LIMIT ?`,

  insertTerminal: `INSERT INTO chairside_terminals
    (id, device_identifier, barber_id, business_id, platform, device_model, os_version,
     app_version, terminal_sdk_version, created_at, updated_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  deleteTerminal: 'DELETE FROM chairside_terminals WHERE id = ?',
  getTerminal: 'SELECT * FROM chairside_terminals WHERE id = ?',
  getTerminalByDevice: 'SELECT * FROM chairside_terminals WHERE device_identifier = ?',
  listTerminalsByBarber: `SELECT * FROM chairside_terminals WHERE barber_id = ?
    ORDER BY created_at DESC, rowid DESC LIMIT ?`,

  putAppointment: `INSERT INTO chairside_appointments
    (id, business_id, amount_due_minor, reference) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET (business_id, amount_due_minor, reference) =
      (excluded.business_id, excluded.amount_due_minor, excluded.reference)`,
  getAppointment: 'SELECT * FROM chairside_appointments WHERE id = ?',
  putBarber: `INSERT INTO chairside_barbers (id, business_id) VALUES (?, ?)
    ON CONFLICT DO UPDATE SET business_id = excluded.business_id`,
  getBarber: 'SELECT * FROM chairside_barbers WHERE id = ?',
  putBusiness: `INSERT INTO chairside_businesses (${businessColumns.join(', ')})
    VALUES (${marks(businessColumns)})
    ON CONFLICT DO UPDATE SET (${businessColumns.slice(1).join(', ')}) =
      (${excluded(businessColumns.slice(1))})`,
  getBusiness: 'SELECT * FROM chairside_businesses WHERE id = ?',
  clearDefaultAccount: `UPDATE chairside_financial_accounts SET is_default = 0
    WHERE business_id = ? AND is_default = 1`,
  putFinancialAccount: `INSERT INTO chairside_financial_accounts
    (id, business_id, bank_name, masked_account_number, currency, is_default)
    VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET
      (business_id, bank_name, masked_account_number, currency, is_default) =
      (excluded.business_id, excluded.bank_name, excluded.masked_account_number,
       excluded.currency, excluded.is_default)`,
  deleteFinancialAccount: `DELETE FROM chairside_financial_accounts
    WHERE id = ? AND business_id = ? AND is_default = 0`,
  getFinancialAccount: 'SELECT * FROM chairside_financial_accounts WHERE id = ?',
  putSchedule: `INSERT INTO chairside_schedules (id, barber_id, name, hours) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET (barber_id, name, hours) =
      (excluded.barber_id, excluded.name, excluded.hours)`,
  deleteSchedule: 'DELETE FROM chairside_schedules WHERE id = ? AND barber_id = ?',
  getSchedule: 'SELECT * FROM chairside_schedules WHERE id = ?',
  putPayoutPreferences: `INSERT INTO chairside_payout_preferences (business_id, settings)
    VALUES (?, ?) ON CONFLICT DO UPDATE SET settings = excluded.settings`,
  getPayoutPreferences: 'SELECT * FROM chairside_payout_preferences WHERE business_id = ?',
} as const;
