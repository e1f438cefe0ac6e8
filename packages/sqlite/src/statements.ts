import {
  type AppointmentRow,
  type BarberRow,
  type BusinessRow,
  changingColumns,
  type DisputeRow,
  type EventRow,
  type FinancialAccountRow,
  type KeyRow,
  type LedgerRow,
  type PaymentRow,
  type PayoutPreferencesRow,
  type RefundRow,
  type ReviewRow,
  type ScheduleRow,
  type SetupRow,
  type SweepRow,
  type TerminalRow,
  tables,
} from '@chairside/core/storage';
import type { Database } from 'better-sqlite3';
import type { Cell } from './cell.ts';

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

/** The record with this id. */
function get(table: Table): string {
  return `SELECT * FROM chairside_${table} WHERE id = ?`;
}

/** Deletes the record with this id, if it has the expected version. */
function remove(table: Table): string {
  return `DELETE FROM chairside_${table} WHERE id = ? AND version = ?`;
}

/** The records whose next check is due, the longest due first. */
function listDue(table: Table): string {
  return `SELECT * FROM chairside_${table} WHERE next_check_at <= ? ORDER BY next_check_at LIMIT ?`;
}

type Id = [id: string];
type OfVersion = [id: string, version: number];
type Due = [now: number, limit: number];
type Before = [before: number, limit: number];
type Of = [owner: string, limit: number];
type After = [after: string, limit: number];
interface OfEvent {
  readonly subject: string;
  readonly version: number;
}

/** @internal Declarations cannot name the statements of better-sqlite3. */
export type Statements = ReturnType<typeof prepareStatements>;

/**
 * All statements in one place, so that a test can check each query plan. They are prepared once,
 * because preparing on each call halves the speed. The writes of every payment have positional
 * values, which bind faster than named ones. They avoid INSERT … SELECT, for which SQLite keeps a
 * copy of each changed page to undo the statement alone.
 *
 * @internal
 */
export function prepareStatements(db: Database) {
  // The host's class, which opens our connection (D90), may read integers as bigints.
  const prepare = <Params extends unknown[] | object, Row = unknown>(text: string) =>
    db.prepare<Params, Row>(text).safeIntegers(false);
  return {
    beginRead: prepare<[]>('BEGIN'),
    beginWrite: prepare<[]>('BEGIN IMMEDIATE'),
    commit: prepare<[]>('COMMIT'),
    rollback: prepare<[]>('ROLLBACK'),
    savepoint: prepare<[]>('SAVEPOINT one_commit'),
    release: prepare<[]>('RELEASE one_commit'),
    rollbackTo: prepare<[]>('ROLLBACK TO one_commit'),

    insertCommit: prepare<[id: string, at: number]>(
      'INSERT INTO chairside_commits (id, at) VALUES (?, ?) ON CONFLICT DO NOTHING',
    ),
    // By the database's clock, or by the latest commit if that is ahead.
    denyCommit: prepare<Id>(`INSERT INTO chairside_commits (id, at, is_denied)
      SELECT ?, max(ifnull(max(at), 0), CAST(unixepoch('subsec') * 1000 AS INTEGER)), 1
      FROM chairside_commits WHERE TRUE
      ON CONFLICT DO NOTHING`),
    getCommit: prepare<Id, { readonly is_denied: number }>(
      'SELECT is_denied FROM chairside_commits WHERE id = ?',
    ),
    listOldestCommits: prepare<[limit: number], { readonly rowid: number; readonly at: number }>(
      'SELECT rowid, at FROM chairside_commits ORDER BY rowid LIMIT ?',
    ),
    forgetCommits: prepare<[lastRowid: number, before: number]>(
      'DELETE FROM chairside_commits WHERE rowid <= ? AND at < ?',
    ),

    insertKey: prepare<Cell[]>(insert('keys')),
    finishKey: prepare<[problem: string, subject: string, key: string]>(
      'UPDATE chairside_keys SET problem = ? WHERE subject = ? AND key = ? AND problem IS NULL',
    ),
    getKey: prepare<[subject: string, key: string], KeyRow>(
      'SELECT * FROM chairside_keys WHERE subject = ? AND key = ?',
    ),
    deleteKeys: prepare<[resourceId: string]>('DELETE FROM chairside_keys WHERE resource_id = ?'),
    forgetKeys: prepare<Due>(`DELETE FROM chairside_keys WHERE rowid IN
      (SELECT rowid FROM chairside_keys WHERE resource_id IS NULL AND forget_at <= ?
       ORDER BY forget_at LIMIT ?)`),

    insertPayment: prepare<Cell[]>(insert('payments')),
    updatePayment: prepare<Cell[]>(update('payments', changingColumns.names)),
    deletePayment: prepare<OfVersion>(remove('payments')),
    getPayment: prepare<Id, PaymentRow>(get('payments')),
    listPaymentsByAppointment: prepare<
      [appointmentId: string, businessId: string | null, limit: number],
      PaymentRow
    >(`SELECT * FROM chairside_payments
      WHERE appointment_id = ? AND business_id = coalesce(?, business_id)
      ORDER BY created_at DESC, rowid DESC LIMIT ?`),
    listPaymentsDue: prepare<Due, PaymentRow>(listDue('payments')),

    moveLedger: prepare<(string | number | bigint)[]>(`INSERT INTO chairside_ledgers
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
          OR coalesce(currency, excluded.currency) = excluded.currency)`),
    getLedger: prepare<[appointmentId: string], LedgerRow>(
      'SELECT * FROM chairside_ledgers WHERE appointment_id = ?',
    ).safeIntegers(true),

    // Due at once, unless an earlier event of its subject waits for delivery.
    insertEvent: prepare<Cell[]>(`INSERT INTO chairside_events
        (subject, version, type, occurred_at, data, attempts, deliver_at, is_dead)
      VALUES (?, ?, ?, ?, ?, 0, iif(${hasEarlier('?', '?')}, NULL, ?), 0)
      ON CONFLICT DO NOTHING`),
    leaseEvent: prepare<OfEvent & { readonly attempts: number; readonly deliverAt: number }>(
      `UPDATE chairside_events SET attempts = attempts + 1, deliver_at = @deliverAt
      WHERE subject = @subject AND version = @version AND attempts = @attempts AND is_dead = 0
        AND NOT ${hasEarlier('@subject', '@version')}`,
    ),
    postponeEvent: prepare<
      OfEvent & { readonly attempts: number | null; readonly deliverAt: number | null }
    >(`UPDATE chairside_events SET deliver_at = @deliverAt, is_dead = @deliverAt IS NULL
      WHERE subject = @subject AND version = @version
        AND (@attempts IS NULL OR attempts = @attempts)`),
    reviveEvent: prepare<OfEvent & { readonly deliverAt: number }>(`UPDATE chairside_events
      SET deliver_at = @deliverAt, is_dead = 0, attempts = 0
      WHERE subject = @subject AND version = @version AND is_dead = 1`),
    deleteEvent: prepare<OfEvent & { readonly attempts: number | null }>(
      `DELETE FROM chairside_events WHERE subject = @subject AND version = @version
        AND (@attempts IS NULL OR attempts = @attempts)
        AND NOT ${hasEarlier('@subject', '@version')}`,
    ),
    // Without a time, it is due since it occurred.
    wakeNextEvent: prepare<{ readonly subject: string; readonly deliverAt: number | null }>(
      `UPDATE chairside_events SET deliver_at = ifnull(@deliverAt, occurred_at)
      WHERE subject = @subject AND is_dead = 0 AND deliver_at IS NULL
        AND version = (SELECT min(version) FROM chairside_events WHERE subject = @subject)`,
    ),
    forgetEvents: prepare<Before, { readonly subject: string }>(`DELETE FROM chairside_events
      WHERE rowid IN
        (SELECT rowid FROM chairside_events WHERE attempts = 0 AND deliver_at < ? LIMIT ?)
      RETURNING subject`),
    listEventsDue: prepare<Due, EventRow>(`SELECT * FROM chairside_events AS due
      WHERE deliver_at <= ? AND NOT ${hasEarlier('due.subject', 'due.version')}
      ORDER BY deliver_at LIMIT ?`),
    listEventsDead: prepare<[subject: string, version: number, limit: number], EventRow>(
      `SELECT * FROM chairside_events WHERE is_dead = 1 AND (subject, version) > (?, ?)
      ORDER BY subject, version LIMIT ?`,
    ),

    insertProcessorEvent: prepare<[id: string, at: number]>(
      'INSERT INTO chairside_processor_events (id, at) VALUES (?, ?) ON CONFLICT DO NOTHING',
    ),
    getProcessorEvent: prepare<Id>('SELECT 1 FROM chairside_processor_events WHERE id = ?'),
    forgetProcessorEvents: prepare<Before>(`DELETE FROM chairside_processor_events WHERE id IN
      (SELECT id FROM chairside_processor_events WHERE at < ? ORDER BY at LIMIT ?)`),

    insertMoneyBack: prepare<Cell[]>(insert('money_backs')),
    getMoneyBack: prepare<[account: string, kind: string, id: string]>(
      'SELECT 1 FROM chairside_money_backs WHERE account = ? AND kind = ? AND id = ?',
    ),

    insertRefund: prepare<Cell[]>(insert('refunds')),
    updateRefund: prepare<Cell[]>(update('refunds')),
    deleteRefund: prepare<OfVersion>(remove('refunds')),
    getRefund: prepare<Id, RefundRow>(get('refunds')),
    listRefundsByPayment: prepare<Of, RefundRow>(
      'SELECT * FROM chairside_refunds WHERE payment_id = ? ORDER BY id LIMIT ?',
    ),
    listRefundsDue: prepare<Due, RefundRow>(listDue('refunds')),
    insertDispute: prepare<Cell[]>(insert('disputes')),
    updateDispute: prepare<Cell[]>(update('disputes')),
    getDispute: prepare<Id, DisputeRow>(get('disputes')),
    listDisputesByPayment: prepare<Of, DisputeRow>(
      'SELECT * FROM chairside_disputes WHERE payment_id = ? ORDER BY id LIMIT ?',
    ),
    listDisputes: prepare<[state: string, after: string, limit: number], DisputeRow>(
      'SELECT * FROM chairside_disputes WHERE state = ? AND id > ? ORDER BY id LIMIT ?',
    ),

    insertReview: prepare<Cell[]>(insert('reviews')),
    resolveReview: prepare<[resolvedAt: number, note: string, id: string]>(
      `UPDATE chairside_reviews SET (resolved_at, note) = (?, ?)
      WHERE id = ? AND resolved_at IS NULL`,
    ),
    countReview: prepare<[count: number, openedAt: number, id: string, expectedCount: number]>(
      `UPDATE chairside_reviews SET (count, opened_at) = (?, ?)
      WHERE id = ? AND count = ? AND resolved_at IS NULL`,
    ),
    resolvePaymentReviews: prepare<
      [resolvedAt: number, note: string, paymentId: string, reason: string]
    >(`UPDATE chairside_reviews SET (resolved_at, note) = (?, ?)
      WHERE payment_id = ? AND reason = ? AND resolved_at IS NULL`),
    getReview: prepare<Id, ReviewRow>(get('reviews')),
    listReviewsOpen: prepare<After, ReviewRow>(
      'SELECT * FROM chairside_reviews WHERE resolved_at IS NULL AND id > ? ORDER BY id LIMIT ?',
    ),
    listReviewsResolved: prepare<After, ReviewRow>(
      'SELECT * FROM chairside_reviews WHERE resolved_at IS NOT NULL AND id > ? ORDER BY id LIMIT ?',
    ),

    listReviewsOf: prepare<[account: string, reason: string, limit: number], ReviewRow>(
      `SELECT * FROM chairside_reviews WHERE account = ? AND reason = ? AND resolved_at IS NULL
      ORDER BY id LIMIT ?`,
    ),

    insertSetup: prepare<Cell[]>(insert('setups')),
    updateSetup: prepare<Cell[]>(update('setups')),
    deleteSetup: prepare<OfVersion>(remove('setups')),
    getSetup: prepare<Id, SetupRow>(get('setups')),
    listSetupsDue: prepare<Due, SetupRow>(listDue('setups')),
    listSetupsByCustomer: prepare<Of, SetupRow>(
      'SELECT * FROM chairside_setups WHERE customer_id = ? ORDER BY created_at DESC LIMIT ?',
    ),

    beginSweep: prepare<[account: string, sweptBefore: number, triedAt: number, lists: null]>(
      insert('sweeps'),
    ),
    putSweep: prepare<Cell[]>(put('sweeps')),
    listSweeps: prepare<[sweptBefore: number, limit: number], SweepRow>(
      'SELECT * FROM chairside_sweeps WHERE swept_before <= ? ORDER BY tried_at LIMIT ?',
    ),

    insertTerminal: prepare<Cell[]>(insert('terminals')),
    deleteTerminal: prepare<Id>('DELETE FROM chairside_terminals WHERE id = ?'),
    getTerminal: prepare<Id, TerminalRow>(get('terminals')),
    getTerminalByDevice: prepare<[device: string], TerminalRow>(
      'SELECT * FROM chairside_terminals WHERE device_identifier = ?',
    ),
    listTerminalsByBarber: prepare<Of, TerminalRow>(`SELECT * FROM chairside_terminals
      WHERE barber_id = ? ORDER BY created_at DESC, rowid DESC LIMIT ?`),

    putAppointment: prepare<Cell[]>(put('appointments')),
    getAppointment: prepare<Id, AppointmentRow>(get('appointments')),
    putBarber: prepare<Cell[]>(put('barbers')),
    getBarber: prepare<Id, BarberRow>(get('barbers')),
    putBusiness: prepare<Cell[]>(put('businesses')),
    getBusiness: prepare<Id, BusinessRow>(get('businesses')),
    clearDefaultAccount: prepare<[businessId: string]>(`UPDATE chairside_financial_accounts
      SET is_default = 0 WHERE business_id = ? AND is_default = 1`),
    putFinancialAccount: prepare<Cell[]>(put('financial_accounts')),
    deleteFinancialAccount: prepare<[id: string, businessId: string]>(
      `DELETE FROM chairside_financial_accounts
      WHERE id = ? AND business_id = ? AND is_default = 0`,
    ),
    getFinancialAccount: prepare<Id, FinancialAccountRow>(get('financial_accounts')),
    putSchedule: prepare<Cell[]>(put('schedules')),
    deleteSchedule: prepare<[id: string, barberId: string]>(
      'DELETE FROM chairside_schedules WHERE id = ? AND barber_id = ?',
    ),
    getSchedule: prepare<Id, ScheduleRow>(get('schedules')),
    putPayoutPreferences: prepare<Cell[]>(put('payout_preferences')),
    getPayoutPreferences: prepare<[businessId: string], PayoutPreferencesRow>(
      'SELECT * FROM chairside_payout_preferences WHERE business_id = ?',
    ),
  };
}
