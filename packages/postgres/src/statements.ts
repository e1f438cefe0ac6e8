import { createHash } from 'node:crypto';
import { columns } from './columns.ts';
import { changingColumns, paymentColumns } from './payment-row.ts';
import { must, together } from './together.ts';

const list = (names: readonly string[]) => names.join(', ');
const marks = (names: readonly string[], first = 1) =>
  names.map((_, index) => `$${index + first}`).join(', ');

function insert(table: string, names: readonly string[]): string {
  return `INSERT INTO @${table} (${list(names)}) VALUES (${marks(names)})`;
}

/** Inserts, or replaces all that follows the first column, which is the key. */
function put(table: string, [key, ...names]: readonly [string, ...string[]]): string {
  const updates = names.map((name) => `${name} = excluded.${name}`);
  return `${insert(table, [key, ...names])}
    ON CONFLICT (${key}) DO UPDATE SET ${list(updates)}`;
}

/** Whether an event of the same subject stands before this one. */
function hasEarlier(subject: string, version: string): string {
  return `EXISTS (SELECT 1 FROM @events AS earlier
    WHERE earlier.subject = ${subject} AND earlier.version < ${version})`;
}

/**
 * Every statement there is, in one place, so that a test can look at each one's query plan. `@name`
 * is the table of that name. Columns are named, since a later version of the schema may add some.
 */
export const sql = {
  // Conditions are checked by each statement on the rows as they are when it has them locked, so
  // this level is enough, and a hot row makes writers wait where a stricter one makes them fail.
  begin: 'BEGIN ISOLATION LEVEL READ COMMITTED',
  // Not part of BEGIN: a standby refuses it, and what was sent behind a BEGIN that failed is in no
  // transaction, so that a standby which takes over in between would keep it, one by one.
  allowWrites: 'SET TRANSACTION READ WRITE',
  commit: 'COMMIT',
  // Rate limits need not survive a crash.
  commitLazily: 'SET LOCAL synchronous_commit = off',

  insertCommit: insert('commits', ['id', 'at']),
  touchCommit: 'UPDATE @commits SET at = at WHERE id = $1',
  forgetCommits: `DELETE FROM @commits WHERE id IN
    (SELECT id FROM @commits WHERE at < $1 ORDER BY at LIMIT $2)`,

  insertKey: insert('keys', columns.keys),
  finishKey: must(`UPDATE @keys SET problem = $1
    WHERE subject = $2 AND key = $3 AND problem IS NULL`),
  getKey: `SELECT ${list(columns.keys)} FROM @keys WHERE subject = $1 AND key = $2`,
  deleteKeys: 'DELETE FROM @keys WHERE resource_id = $1',
  forgetKeys: `DELETE FROM @keys WHERE (subject, key) IN
    (SELECT subject, key FROM @keys WHERE resource_id IS NULL AND forget_at <= $1
     ORDER BY forget_at LIMIT $2)`,

  insertPayment: insert('payments', paymentColumns),
  updatePayment: must(`UPDATE @payments SET (${list(changingColumns)}) =
    (${marks(changingColumns, 3)}) WHERE id = $1 AND version = $2`),
  deletePayment: must('DELETE FROM @payments WHERE id = $1 AND version = $2'),
  getPayment: `SELECT ${list(paymentColumns)} FROM @payments WHERE id = $1`,
  listPaymentsByAppointment: `SELECT ${list(paymentColumns)} FROM @payments
    WHERE appointment_id = $1 AND business_id = coalesce($3::TEXT, business_id)
    ORDER BY created_at DESC, id DESC LIMIT $2`,
  listPaymentsDue: `SELECT ${list(paymentColumns)} FROM @payments
    WHERE next_check_at <= $1 ORDER BY next_check_at LIMIT $2`,

  // The condition stands twice: for an appointment's first move, and for all later ones.
  moveLedger: must(`INSERT INTO @ledgers AS ledger (${list(columns.ledgers)})
    SELECT $1::TEXT, $2::BIGINT, $3::BIGINT, $4::BIGINT, $5::TEXT
    WHERE ($2::BIGINT <= $6::BIGINT AND $3::BIGINT + $4::BIGINT <= $7::BIGINT)
      OR EXISTS (SELECT 1 FROM @ledgers WHERE appointment_id = $1::TEXT)
    ON CONFLICT (appointment_id) DO UPDATE SET
      open_payments = ledger.open_payments + excluded.open_payments,
      reserved_minor = ledger.reserved_minor + excluded.reserved_minor,
      captured_minor = ledger.captured_minor + excluded.captured_minor,
      currency = CASE WHEN ledger.reserved_minor + ledger.captured_minor <> 0
          AND ledger.currency IS NOT NULL THEN ledger.currency ELSE excluded.currency END
    WHERE ledger.open_payments + excluded.open_payments <= $6::BIGINT
      AND ledger.reserved_minor + excluded.reserved_minor
        + ledger.captured_minor + excluded.captured_minor <= $7::BIGINT
      AND (NOT $8::BOOLEAN OR ledger.reserved_minor + ledger.captured_minor = 0
        OR coalesce(ledger.currency, excluded.currency) = excluded.currency)`),
  getLedger: `SELECT ${list(columns.ledgers)} FROM @ledgers WHERE appointment_id = $1`,

  // Due at once, unless an earlier event of its subject is still to be delivered. The one before it
  // is locked, so that who removes that one at this moment comes before (and it is gone) or after
  // (and wakes this one): else this one could wait for ever for what is not there.
  insertEvent: `WITH earlier AS
      (SELECT 1 FROM @events WHERE subject = $1::TEXT AND version < $2::BIGINT
       ORDER BY version DESC LIMIT 1 FOR SHARE)
    INSERT INTO @events
      (subject, version, type, occurred_at, data, attempts, deliver_at, is_dead)
    SELECT $1::TEXT, $2::BIGINT, $3::TEXT, $4::BIGINT, $5::TEXT, 0,
      CASE WHEN EXISTS (SELECT 1 FROM earlier) THEN NULL ELSE $4::BIGINT END, FALSE`,
  leaseEvent: must(`UPDATE @events SET attempts = attempts + 1, deliver_at = $4
    WHERE subject = $1 AND version = $2 AND attempts = $3 AND NOT is_dead
      AND NOT ${hasEarlier('$1', '$2')}`),
  postponeEvent: must(`UPDATE @events SET deliver_at = $3::BIGINT, is_dead = $3::BIGINT IS NULL
    WHERE subject = $1 AND version = $2
      AND ($4::BIGINT IS NULL OR attempts = $4::BIGINT)`),
  reviveEvent: must(`UPDATE @events SET deliver_at = $3, is_dead = FALSE, attempts = 0
    WHERE subject = $1 AND version = $2 AND is_dead`),
  deleteEvent: must(`DELETE FROM @events
    WHERE subject = $1 AND version = $2 AND ($3::BIGINT IS NULL OR attempts = $3::BIGINT)
      AND NOT ${hasEarlier('$1', '$2')}`),
  wakeNextEvent: `UPDATE @events SET deliver_at = $2
    WHERE subject = $1 AND NOT is_dead AND deliver_at IS NULL
      AND version = (SELECT min(version) FROM @events WHERE subject = $1)`,
  // Three steps, since not every database can change one table twice in a statement. The second
  // must see what was appended before the first got its locks. The first repeats its condition:
  // after waiting for a lock, PostgreSQL checks only the row's own condition again.
  markEventsToForget: `UPDATE @events SET attempts = -1
    WHERE attempts = 0 AND deliver_at < $1 AND (subject, version) IN
      (SELECT subject, version FROM @events WHERE attempts = 0 AND deliver_at < $1 LIMIT $2)`,
  wakeBehindForgotten: `UPDATE @events SET deliver_at = occurred_at
    WHERE (subject, version) IN
      (SELECT kept.subject, min(kept.version) FROM @events AS kept
       WHERE kept.attempts >= 0
         AND kept.subject IN (SELECT subject FROM @events WHERE attempts < 0)
       GROUP BY kept.subject)
      AND NOT is_dead AND deliver_at IS NULL`,
  forgetMarkedEvents: 'DELETE FROM @events WHERE attempts < 0',
  listEventsDue: `SELECT ${list(columns.events)} FROM @events AS due
    WHERE deliver_at <= $1 AND NOT ${hasEarlier('due.subject', 'due.version')}
    ORDER BY deliver_at LIMIT $2`,
  listEventsDead: `SELECT ${list(columns.events)} FROM @events
    WHERE is_dead AND (subject, version) > ($1, $2) ORDER BY subject, version LIMIT $3`,

  insertProcessorEvent: insert('processor_events', ['id', 'at']),
  getProcessorEvent: 'SELECT 1 FROM @processor_events WHERE id = $1',
  forgetProcessorEvents: `DELETE FROM @processor_events WHERE id IN
    (SELECT id FROM @processor_events WHERE at < $1 ORDER BY at LIMIT $2)`,

  insertMoneyBack: insert('money_backs', columns.money_backs),
  getMoneyBack: 'SELECT 1 FROM @money_backs WHERE account = $1 AND kind = $2 AND id = $3',

  insertReview: insert('reviews', columns.reviews),
  resolveReview: must(`UPDATE @reviews SET (resolved_at, note) = ($1, $2)
    WHERE id = $3 AND resolved_at IS NULL`),
  resolvePaymentReviews: `UPDATE @reviews SET (resolved_at, note) = ($1, $2)
    WHERE payment_id = $3 AND reason = $4 AND resolved_at IS NULL`,
  getReview: `SELECT ${list(columns.reviews)} FROM @reviews WHERE id = $1`,
  listReviewsOpen: `SELECT ${list(columns.reviews)} FROM @reviews
    WHERE resolved_at IS NULL AND id > $1 ORDER BY id LIMIT $2`,
  listReviewsResolved: `SELECT ${list(columns.reviews)} FROM @reviews
    WHERE resolved_at IS NOT NULL AND id > $1 ORDER BY id LIMIT $2`,

  insertSetup: insert('setups', columns.setups),
  updateSetup: must(`UPDATE @setups SET (${list(columns.setups)}) =
    (${marks(columns.setups)}) WHERE id = $1 AND version = $${columns.setups.length + 1}`),
  deleteSetup: must('DELETE FROM @setups WHERE id = $1 AND version = $2'),
  getSetup: `SELECT ${list(columns.setups)} FROM @setups WHERE id = $1`,
  listSetupsDue: `SELECT ${list(columns.setups)} FROM @setups
    WHERE next_check_at <= $1 ORDER BY next_check_at LIMIT $2`,

  listSetupsByCustomer: `SELECT ${list(columns.setups)} FROM @setups
    WHERE customer_id = $1 ORDER BY created_at DESC LIMIT $2`,

  beginSweep: `${insert('sweeps', columns.sweeps)} ON CONFLICT (account) DO NOTHING`,
  putSweep: put('sweeps', columns.sweeps),
  listSweeps: `SELECT ${list(columns.sweeps)} FROM @sweeps
    WHERE swept_before <= $1 ORDER BY tried_at LIMIT $2`,

  insertTerminal: insert('terminals', columns.terminals),
  deleteTerminal: must('DELETE FROM @terminals WHERE id = $1'),
  getTerminal: `SELECT ${list(columns.terminals)} FROM @terminals WHERE id = $1`,
  getTerminalByDevice: `SELECT ${list(columns.terminals)} FROM @terminals
    WHERE device_identifier = $1`,
  listTerminalsByBarber: `SELECT ${list(columns.terminals)} FROM @terminals
    WHERE barber_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2`,

  putAppointment: put('appointments', columns.appointments),
  getAppointment: `SELECT ${list(columns.appointments)} FROM @appointments WHERE id = $1`,
  putBarber: put('barbers', columns.barbers),
  getBarber: `SELECT ${list(columns.barbers)} FROM @barbers WHERE id = $1`,
  putBusiness: put('businesses', columns.businesses),
  getBusiness: `SELECT ${list(columns.businesses)} FROM @businesses WHERE id = $1`,
  clearDefaultAccount: `UPDATE @financial_accounts SET is_default = FALSE
    WHERE business_id = $1 AND is_default AND id <> $2`,
  putFinancialAccount: put('financial_accounts', columns.financial_accounts),
  deleteFinancialAccount: must(`DELETE FROM @financial_accounts
    WHERE id = $1 AND business_id = $2 AND NOT is_default`),
  getFinancialAccount: `SELECT ${list(columns.financial_accounts)} FROM @financial_accounts
    WHERE id = $1`,
  putSchedule: put('schedules', columns.schedules),
  deleteSchedule: must('DELETE FROM @schedules WHERE id = $1 AND barber_id = $2'),
  getSchedule: `SELECT ${list(columns.schedules)} FROM @schedules WHERE id = $1`,
  putPayoutPreferences: put('payout_preferences', columns.payout_preferences),
  getPayoutPreferences: `SELECT ${list(columns.payout_preferences)} FROM @payout_preferences
    WHERE business_id = $1`,

  // The server's clock, which all nodes share.
  getTime: 'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::BIGINT AS now',

  // One more than the limit says that the last call was beyond it. A window that another node's
  // clock began in the future is cut to its length: nobody waits longer than that.
  takeFromLimit: `INSERT INTO @rate_limits AS current (policy, key, taken, resets_at)
    VALUES ($1, $2, 1, $4::BIGINT + $5::BIGINT)
    ON CONFLICT (policy, key) DO UPDATE SET
      taken = CASE WHEN current.resets_at <= $4::BIGINT THEN 1
        WHEN current.taken > $3::BIGINT THEN $3::BIGINT + 1 ELSE current.taken + 1 END,
      resets_at = CASE WHEN current.resets_at <= $4::BIGINT THEN $4::BIGINT + $5::BIGINT
        ELSE least(current.resets_at, $4::BIGINT + $5::BIGINT) END
    RETURNING taken, resets_at`,
  forgetLimits: `DELETE FROM @rate_limits WHERE (policy, key) IN
    (SELECT policy, key FROM @rate_limits WHERE resets_at < $1 ORDER BY resets_at LIMIT $2)`,
} as const;

export type StatementName = keyof typeof sql;

export interface Statement {
  /** The same on each node, and another for any other text: connections may be shared. */
  readonly name: string;
  readonly text: string;
}

export interface Statements extends Readonly<Record<StatementName, Statement>> {
  /** All of them as one statement, where that is possible. */
  together(names: readonly StatementName[]): Statement | undefined;
}

/** More combinations than there are use cases; each is prepared once a connection. */
const maxCombinations = 100;

/** The text with the schema's tables in the place of `@name`, and its other things of `@.name`. */
export function inSchema(text: string, schema: string): string {
  const prefix = quoted(schema);
  return text.replaceAll(/@(\.?)(\w+)/g, (_, dot, name) =>
    dot === '' ? `${prefix}.chairside_${name}` : `${prefix}.${name}`,
  );
}

/** The name as an identifier, whatever it holds. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

export function statementsIn(schema: string): Statements {
  const named = (of: string): Statement => {
    const text = inSchema(of, schema);
    return {
      name: `chairside_${createHash('sha256').update(text).digest('hex')}`.slice(0, 40),
      text,
    };
  };
  const all = Object.entries(sql).map(([name, text]) => [name, named(text)]);
  const combined = new Map<string, Statement | undefined>();
  return {
    // cast: the entries of `sql`, each under its own name
    ...(Object.fromEntries(all) as Record<StatementName, Statement>),
    together(names) {
      const key = names.join();
      const known = combined.get(key);
      if (known !== undefined || combined.has(key)) return known;
      if (combined.size >= maxCombinations) return undefined;
      const text = together(names.map((name) => sql[name]));
      const statement = text === undefined ? undefined : named(text);
      combined.set(key, statement);
      return statement;
    },
  };
}
