import type { Change, ChangeKind, ChangeOf } from '@chairside/core/ports';
import {
  type Columns,
  changingColumns,
  type RecordOf,
  type TableName,
  tables,
} from '@chairside/core/storage';
import type { Database } from 'better-sqlite3';
import { cellsOf, type Preparer, preparer } from './cell.ts';

/** Applies a change inside the open transaction. Returns whether its condition held; may throw. */
type Apply<C> = (change: C) => boolean;
type Write<C> = (prepare: Preparer) => Apply<C>;

/** A statement that changes one row if the condition of the change holds. */
function write<C extends object>(
  text: string,
  values: (change: C) => readonly unknown[] = (change) => [change],
): Write<C> {
  return (prepare) => {
    const statement = prepare(text);
    return (change) => statement.run(...values(change)).changes === 1;
  };
}

/** A change with its record under this name. */
type With<Name extends string, T extends TableName> = Readonly<Record<Name, RecordOf<T>>>;

const listed = (names: readonly string[]) => names.join(', ');
const marks = (names: readonly string[]) => names.map(() => '?').join(', ');

function insertInto(table: TableName): string {
  const { names } = tables[table];
  return `INSERT INTO chairside_${table} (${listed(names)}) VALUES (${marks(names)})`;
}

/** Without effect if the record is there already. */
function insert<T extends TableName, N extends string>(table: T, name: N): Write<With<N, T>> {
  return write(`${insertInto(table)} ON CONFLICT DO NOTHING`, (change) =>
    cellsOf(tables[table], change[name]),
  );
}

/**
 * Inserts a record, or replaces everything behind the first column, which is the key.
 * @param kept a column that keeps its value if the new record has none.
 */
function put<T extends TableName, N extends string>(
  table: T,
  name: N,
  kept?: string,
): Write<With<N, T>> {
  const [key, ...others] = tables[table].names;
  const excluded = others.map((column) =>
    column === kept ? `coalesce(excluded.${column}, ${column})` : `excluded.${column}`,
  );
  return write(
    `${insertInto(table)}
    ON CONFLICT (${key}) DO UPDATE SET (${listed(others)}) = (${listed(excluded)})`,
    (change) => cellsOf(tables[table], change[name]),
  );
}

/** Updates these columns of the record with this id, if it has the expected version. */
function update<R extends { readonly id: string }, N extends string>(
  table: TableName,
  name: N,
  changing: Columns<R>,
): Write<Readonly<Record<N, R>> & { readonly expectedVersion: number }> {
  return write(
    `UPDATE chairside_${table} SET (${listed(changing.names)}) = (${marks(changing.names)})
    WHERE id = ? AND version = ?`,
    (change) => [...cellsOf(changing, change[name]), change[name].id, change.expectedVersion],
  );
}

/** Deletes the record with this id, if it has the expected version. */
function remove(
  table: TableName,
): Write<{ readonly id: string; readonly expectedVersion: number }> {
  return write(
    `DELETE FROM chairside_${table} WHERE id = ? AND version = ?`,
    ({ id, expectedVersion }) => [id, expectedVersion],
  );
}

function hasEarlier(subject: string, version: string): string {
  return `EXISTS (SELECT 1 FROM chairside_events AS earlier
    WHERE earlier.subject = ${subject} AND earlier.version < ${version})`;
}

/**
 * The writes of every payment have positional values, which bind faster than named ones. They avoid
 * INSERT … SELECT, for which SQLite keeps a copy of each changed page to undo the statement alone.
 */
const changes: { readonly [Kind in ChangeKind]: Write<ChangeOf<Kind>> } = {
  insertKey: insert('keys', 'record'),
  finishKey: write(
    'UPDATE chairside_keys SET problem = ? WHERE subject = ? AND key = ? AND problem IS NULL',
    ({ problem, subject, key }) => [JSON.stringify(problem), subject, key],
  ),
  deleteKeys: (prepare) => {
    const statement = prepare('DELETE FROM chairside_keys WHERE resource_id = ?');
    return ({ resourceId }) => {
      statement.run(resourceId);
      return true; // for any number of rows
    };
  },
  insertPayment,
  updatePayment: update('payments', 'payment', changingColumns),
  deletePayment: remove('payments'),
  moveLedger,
  moveSlot,
  // Due at once, unless an earlier event of its subject waits for delivery.
  appendEvent: write(
    `INSERT INTO chairside_events
      (subject, version, type, occurred_at, data, attempts, deliver_at, is_dead)
    VALUES (?, ?, ?, ?, ?, 0, iif(${hasEarlier('?', '?')}, NULL, ?), 0)
    ON CONFLICT DO NOTHING`,
    ({ event: { subject, version, type, occurredAt, data } }) => {
      const cells = [subject, version, type, occurredAt, JSON.stringify(data)];
      return [...cells, subject, version, occurredAt];
    },
  ),
  leaseEvent: write(
    `UPDATE chairside_events SET attempts = attempts + 1, deliver_at = @deliverAt
    WHERE subject = @subject AND version = @version AND attempts = @attempts AND is_dead = 0
      AND NOT ${hasEarlier('@subject', '@version')}`,
  ),
  postponeEvent: write(
    `UPDATE chairside_events SET deliver_at = @deliverAt, is_dead = @deliverAt IS NULL
    WHERE subject = @subject AND version = @version
      AND (@attempts IS NULL OR attempts = @attempts)`,
    (change) => [{ attempts: null, deliverAt: null, ...change }],
  ),
  reviveEvent: write(
    `UPDATE chairside_events SET deliver_at = @deliverAt, is_dead = 0, attempts = 0
    WHERE subject = @subject AND version = @version AND is_dead = 1`,
  ),
  removeEvent,
  insertProcessorEvent: write(
    'INSERT INTO chairside_processor_events (id, at) VALUES (?, ?) ON CONFLICT DO NOTHING',
    ({ id, at }) => [id, at],
  ),
  insertRefund: insert('refunds', 'refund'),
  updateRefund: update('refunds', 'refund', tables.refunds),
  deleteRefund: remove('refunds'),
  insertDispute: insert('disputes', 'dispute'),
  updateDispute: update('disputes', 'dispute', tables.disputes),
  insertTender: insert('tenders', 'tender'),
  updateTender: update('tenders', 'tender', tables.tenders),
  insertShare: insert('shares', 'share'),
  updateShare: update('shares', 'share', tables.shares),
  insertMovement: insert('movements', 'movement'),
  putSettlement: write(
    `${insertInto('settlements')} ON CONFLICT (id) DO UPDATE SET
      (business_id, payout_id) =
      (coalesce(excluded.business_id, business_id), coalesce(excluded.payout_id, payout_id))`,
    ({ settlement }) => cellsOf(tables.settlements, settlement),
  ),
  putPayout: put('payouts', 'payout', 'replaced_by'),
  insertReview: insert('reviews', 'review'),
  updateReview: update('reviews', 'review', tables.reviews),
  insertSetup: insert('setups', 'setup'),
  updateSetup: update('setups', 'setup', tables.setups),
  deleteSetup: remove('setups'),
  putSweep: put('sweeps', 'swept'),
  putFact: write(
    `INSERT INTO chairside_facts (name, version, text) SELECT @name, @version, @text
    WHERE @version = 1 OR EXISTS (SELECT 1 FROM chairside_facts WHERE name = @name)
    ON CONFLICT (name) DO UPDATE SET (version, text) = (excluded.version, excluded.text)
    WHERE version = excluded.version - 1`,
    ({ fact: { name, version, text } }) => [{ name, version, text }],
  ),
  insertActor: insert('actors', 'actor'),
  renameActor: write(
    'UPDATE OR IGNORE chairside_actors SET subject = ? WHERE number = ?',
    ({ number, subject }) => [subject, number],
  ),
  insertTerminal: insert('terminals', 'terminal'),
  deleteTerminal: write('DELETE FROM chairside_terminals WHERE id = ?', ({ id }) => [id]),
  forget,
  deleteFinancialAccount: write(
    `DELETE FROM chairside_financial_accounts
    WHERE id = ? AND business_id = ? AND is_default = 0`,
    ({ id, businessId }) => [id, businessId],
  ),
  deleteSchedule: write(
    'DELETE FROM chairside_schedules WHERE id = ? AND barber_id = ?',
    ({ id, barberId }) => [id, barberId],
  ),
  putAppointment: put('appointments', 'appointment'),
  putBarber: put('barbers', 'barber'),
  putBusiness: put('businesses', 'business'),
  putFinancialAccount,
  putSchedule: put('schedules', 'schedule'),
  putPayoutPreferences: put('payout_preferences', 'preferences'),
};

export function prepareChanges(db: Database): Apply<Change> {
  const prepare = preparer(db);
  const applies = new Map(
    // cast: each takes the change of the kind that is its name
    Object.entries(changes).map(([kind, of]) => [kind, of(prepare) as Apply<Change>]),
  );
  return (change) => {
    const apply = applies.get(change.kind);
    // Only a host in plain JavaScript can get here.
    if (apply === undefined) throw new TypeError(`Unknown change ${change.kind}`);
    return apply(change);
  };
}

function insertPayment(prepare: Preparer): Apply<ChangeOf<'insertPayment'>> {
  const beginSweep = prepare(`${insertInto('sweeps')} ON CONFLICT DO NOTHING`);
  const apply = insert('payments', 'payment')(prepare);
  return (change) => {
    const { books = change.payment.account, sweepFrom = change.payment.createdAt } = change;
    beginSweep.run(books, sweepFrom, sweepFrom, null);
    return apply(change);
  };
}

/** The default bound: far above every sum, and far enough below SQLite's largest integer. */
const unbounded = 2n ** 62n;

/** The statement compares the stored sums with the room that the bounds leave for this move. */
function moveLedger(prepare: Preparer): Apply<ChangeOf<'moveLedger'>> {
  const sum = 'reserved_minor + captured_minor + tendered_minor';
  const statement = prepare(`INSERT INTO chairside_ledgers
      (appointment_id, open_payments, reserved_minor, captured_minor, tendered_minor, tips_minor, currency)
      VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET
      open_payments = open_payments + excluded.open_payments,
      reserved_minor = reserved_minor + excluded.reserved_minor,
      captured_minor = captured_minor + excluded.captured_minor,
      tendered_minor = tendered_minor + excluded.tendered_minor,
      tips_minor = tips_minor + excluded.tips_minor,
      currency = CASE WHEN ${sum} <> 0 AND currency IS NOT NULL
        THEN currency ELSE excluded.currency END
    WHERE open_payments <= ? AND ${sum} <= ?
      AND (NOT ? OR ${sum} = 0
        OR coalesce(currency, excluded.currency) = excluded.currency)
      AND tips_minor <= ? AND captured_minor + tendered_minor >= ?`);
  const hasLedger = prepare('SELECT 1 FROM chairside_ledgers WHERE appointment_id = ?');
  return (move) => {
    const { appointmentId, openPayments, reservedMinor, capturedMinor, currency } = move;
    const { maxOpenPayments = Infinity, maxCommittedMinor = unbounded, tenderedMinor = 0n } = move;
    const { tipsMinor = 0n, maxTipsMinor = unbounded, minPaidMinor = -unbounded } = move;
    const openRoom = maxOpenPayments - openPayments;
    const committedRoom = maxCommittedMinor - reservedMinor - capturedMinor - tenderedMinor;
    const tipsRoom = maxTipsMinor - tipsMinor;
    const paidBefore = minPaidMinor - capturedMinor - tenderedMinor;
    if (paidBefore > 0n && hasLedger.get(appointmentId) === undefined) return false;
    // Stored sums are never negative, so a move that is too large by itself never fits.
    if (openRoom < 0 || committedRoom < 0n || tipsRoom < 0n) return false;
    const amounts = [reservedMinor, capturedMinor, tenderedMinor, tipsMinor];
    const sums = [appointmentId, openPayments, ...amounts, currency];
    const needsCurrency = Number(move.maxCommittedMinor !== undefined);
    const bounds = [openRoom, committedRoom, needsCurrency, tipsRoom, paidBefore];
    return statement.run(...sums, ...bounds).changes === 1;
  };
}

function moveSlot(prepare: Preparer): Apply<ChangeOf<'moveSlot'>> {
  const claim = prepare(`UPDATE chairside_ledgers SET charge_id = ?
    WHERE appointment_id = ? AND charge_id IS NULL`);
  const free = prepare(`UPDATE chairside_ledgers SET charge_id = NULL
    WHERE appointment_id = ? AND charge_id = ?`);
  return ({ appointmentId, chargeId, move }) => {
    if (move !== 'free') {
      return claim.run(chargeId, appointmentId).changes === 1 || move === 'keep';
    }
    free.run(appointmentId, chargeId);
    return true;
  };
}

/** Makes the event due that is now the first of its subject. */
const wakeNextEvent = (deliverAt: '@deliverAt' | 'max(occurred_at, @deliverAt)') =>
  write<{ readonly subject: string; readonly deliverAt: number }>(
    `UPDATE chairside_events SET deliver_at = ${deliverAt}
    WHERE subject = @subject AND is_dead = 0 AND deliver_at IS NULL
      AND version = (SELECT min(version) FROM chairside_events WHERE subject = @subject)`,
  );

function removeEvent(prepare: Preparer): Apply<ChangeOf<'removeEvent'>> {
  const deleteEvent = write<ChangeOf<'removeEvent'>>(
    `DELETE FROM chairside_events WHERE subject = @subject AND version = @version
      AND (@attempts IS NULL OR attempts = @attempts)
      AND NOT ${hasEarlier('@subject', '@version')}`,
    (change) => [{ attempts: null, ...change }],
  )(prepare);
  const wakeNext = wakeNextEvent('@deliverAt')(prepare);
  return (change) => {
    if (!deleteEvent(change)) return false;
    wakeNext(change);
    return true;
  };
}

function forget(prepare: Preparer): Apply<ChangeOf<'forget'>> {
  const forgetKeys = prepare(`DELETE FROM chairside_keys WHERE rowid IN
      (SELECT rowid FROM chairside_keys WHERE forget_at <= ?
       ORDER BY forget_at LIMIT ?)`);
  const listOldestCommits = prepare<{ readonly rowid: number; readonly at: number }>(
    'SELECT rowid, at FROM chairside_commits WHERE at <= ? ORDER BY rowid LIMIT ?',
  );
  const forgetCommits = prepare('DELETE FROM chairside_commits WHERE rowid <= ? AND at < ?');
  const forgetProcessorEvents = prepare(`DELETE FROM chairside_processor_events WHERE id IN
      (SELECT id FROM chairside_processor_events WHERE at < ? ORDER BY at LIMIT ?)`);
  const listUntaken = prepare<{
    readonly rowid: number;
    readonly subject: string;
    readonly occurred_at: number;
    readonly deliver_at: number;
  }>(`SELECT rowid, subject, occurred_at, deliver_at FROM chairside_events
    WHERE attempts = 0 AND deliver_at < ? LIMIT ?`);
  const deliverLater = prepare('UPDATE chairside_events SET deliver_at = ? WHERE rowid = ?');
  const forgetEvent = prepare('DELETE FROM chairside_events WHERE rowid = ?');
  const wakeNext = wakeNextEvent('max(occurred_at, @deliverAt)')(prepare);

  return ({ now, commitsBefore, processorEventsBefore, eventsBefore, limit }) => {
    forgetKeys.run(now, limit);
    // The commits are in the order of writing. All commits before the first to keep are deleted.
    // Those from a clock that was ahead are kept, in any number, and hold no other back.
    let last: number | undefined;
    for (const { rowid, at } of listOldestCommits.iterate(now, limit)) {
      if (at >= commitsBefore) break;
      last = rowid;
    }
    if (last !== undefined) forgetCommits.run(last, commitsBefore);
    forgetProcessorEvents.run(processorEventsBefore, limit);
    for (const event of listUntaken.all(eventsBefore, limit)) {
      const { rowid, subject, occurred_at: occurredAt, deliver_at: deliverAt } = event;
      // Still due at the time of its writer, whose clock may be far behind: it counts from now on.
      if (deliverAt === occurredAt) {
        deliverLater.run(now, rowid);
        continue;
      }
      forgetEvent.run(rowid);
      wakeNext({ subject, deliverAt });
    }
    return true;
  };
}

function putFinancialAccount(prepare: Preparer): Apply<ChangeOf<'putFinancialAccount'>> {
  const clearDefault = prepare(`UPDATE chairside_financial_accounts SET is_default = 0
    WHERE business_id = ? AND is_default = 1`);
  const apply = put('financial_accounts', 'account')(prepare);
  return (change) => {
    if (change.account.isDefault) clearDefault.run(change.account.businessId);
    return apply(change);
  };
}
