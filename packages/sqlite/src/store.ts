import { type EpochMs, errAsync } from '@chairside/core';
import { emptyLedger, type Read, type Span, type Store, tell } from '@chairside/core/ports';
import {
  decoderOf,
  longestWaitMs,
  type ReadableTable,
  type StoredRow,
  toKeptEvent,
  toLedger,
  toPayoutSum,
  toPendingEvent,
} from '@chairside/core/storage';
import type { Database } from 'better-sqlite3';
import { hasEarlier } from './apply.ts';
import { type Cell, preparer } from './cell.ts';
import { createCheckpointer, type Pace } from './checkpointer.ts';
import { createCommitQueue } from './commit-queue.ts';
import { explained } from './fault.ts';
import type { Footing } from './ground.ts';
import { durabilityOf, refusedPragma } from './pragmas.ts';
import { createReadQueue } from './read-queue.ts';
import { createWriter, notApplied } from './writer.ts';

export interface SqliteStoreOptions {
  /**
   * Receives the reason of each failed read and write; the port's errors say only that the store is
   * unavailable. It holds no stored values. Restart the process after a {@link SqliteStoreFailed},
   * and after no other error.
   */
  readonly onError?: ((error: unknown) => void) | undefined;
  /**
   * The number of attempts to get a lock that another connection holds. Then the reads or commits of
   * the batch return `notApplied`. Default 60: about four seconds.
   */
  readonly maxBusyAttempts?: number | undefined;
  /**
   * How long opening waits, in milliseconds, for another connection's lock. It blocks the event loop.
   * Default 10,000; ten minutes while another process upgrades the schema.
   */
  readonly openingTimeoutMs?: number | undefined;
}

export interface StoreOptions extends SqliteStoreOptions {
  /** The path that the next start opens. Default: as SQLite resolved it. */
  readonly path?: string | undefined;
  /** For tests: when the WAL is copied, and its maximum size. */
  readonly pace?: Partial<Pace>;
}

/**
 * Builds the store over a connection that is set up and migrated; `close()` closes it. Throws SQLite's
 * errors.
 */
export function createStore(db: Database, footing: Footing, options: StoreOptions): Store {
  const lost = (path: string) => writer.lose(path);
  const checkpointer = db.memory
    ? undefined
    : createCheckpointer(db, footing, { error: report, lost }, options.pace);
  const writer = createWriter(db, {
    hasRoom: () => checkpointer?.hasRoom() ?? true,
    lookAtGround: footing.look,
    lost: footing.abandon,
    committed: () => checkpointer?.committed(),
    error: report,
  });
  const maxBusyAttempts = options.maxBusyAttempts ?? 60;
  const reads = createReadQueue(db, maxBusyAttempts, {
    // After a failed COMMIT its changes may still appear when the file is reopened. A read now
    // would miss them, and a caller could wrongly report "not applied" (D70).
    isReadable: () => !writer.hasFailed(),
    error: report,
  });
  const commits = createCommitQueue(writer, maxBusyAttempts, reads.areWaiting, report);
  /** Questions about commits, which read after they were written. */
  let questions: Promise<unknown> = Promise.resolve();
  let closing: Promise<void> | undefined;

  function report(error: unknown): void {
    tell(options.onError, explained(error));
  }

  return {
    ...createReads(db, (find) => (closing === undefined ? reads.add(find) : errAsync(notApplied))),

    commit: (commit) => (closing === undefined ? commits.add(commit) : errAsync(notApplied)),

    wasCommitted: (id) => {
      if (closing !== undefined) return errAsync(notApplied);
      const answer = commits
        .deny(id)
        .mapErr(() => notApplied)
        .andThen(() => reads.add(() => writer.isWritten(id)));
      questions = Promise.all([answer, questions]).then(() => undefined);
      return answer;
    },

    close: () => {
      closing ??= Promise.all([commits.settled(), reads.settled(), questions])
        .then(() => checkpointer?.close())
        .then(() => {
          const fault = writer.hasFailed() ? undefined : footing.look();
          if (fault?.lost !== undefined) lost(fault.lost);
          footing.close();
        })
        .catch(report);
      return closing;
    },
  };
}

/** The reads of a store. This one always says what it is. */
type Reads = Omit<Store, 'commit' | 'wasCommitted' | 'close'> & Required<Pick<Store, 'about'>>;

/** Prepares the statements of all reads. Each read runs when `read` calls it. */
export function createReads(db: Database, read: <T>(find: () => T) => Read<T>): Reads {
  const prepare = preparer(db);
  const { one, get, has, list, listAs, listSpan, newest, listDue } = createFinders(prepare, read);
  // Sums may exceed 2^53, so that they are read as bigints.
  const getLedger = prepare<Parameters<typeof toLedger>[0]>(
    'SELECT * FROM chairside_ledgers WHERE appointment_id = ?',
  ).safeIntegers(true);
  const sumOfPayout = prepare<Parameters<typeof toPayoutSum>[0]>(
    `SELECT kind, sum(amount_minor) AS amount_minor,
      sum(processor_fee_minor) AS processor_fee_minor,
      sum(application_fee_minor) AS application_fee_minor
    FROM chairside_settlements AS entry
    WHERE payout_id = ? AND coalesce(business_id,
      (SELECT business_id FROM chairside_payments WHERE id = entry.payment_id), ?) = ?
    GROUP BY kind`,
  ).safeIntegers(true);
  const openReviews = list('reviews', 'resolved_at IS NULL AND id > ? ORDER BY id');
  const resolvedReviews = list('reviews', 'resolved_at IS NOT NULL AND id > ? ORDER BY id');
  const disputes = list('disputes', 'state = ? AND id > ? ORDER BY id');
  const deadEvents = listAs(
    'events',
    'is_dead = 1 AND (subject, version) > (?, ?) ORDER BY subject, version',
    toPendingEvent,
  );
  const keptEvents = listAs(
    'kept_events',
    '(kept_at, subject, version) > (?, ?, ?) ORDER BY kept_at, subject, version',
    toKeptEvent,
  );
  const payments = list('payments', 'id > ? ORDER BY id');
  const tenders = list('tenders', 'id > ? ORDER BY id');
  const terminals = list('terminals', 'id > ? ORDER BY id');
  const paymentsOf = newest(
    'payments',
    'appointment_id = ? AND business_id = coalesce(?, business_id)',
  );

  const getSchemaVersion = prepare<{ readonly version: number }>(
    'SELECT coalesce(max(version), 0) AS version FROM chairside_migrations',
  );
  const getVersion = prepare<{ readonly version: string }>('SELECT sqlite_version() AS version');

  return {
    about: () =>
      read(() => {
        const refused = refusedPragma(db);
        return {
          product: `SQLite ${getVersion.get()?.version}`,
          schemaVersion: getSchemaVersion.get()?.version ?? 0,
          settings: durabilityOf(db),
          ...(refused !== undefined && { fault: `SQLite did not accept ${refused}` }),
        };
      }),
    appointments: {
      get: get('appointments'),
      getByPayment: one(
        'appointments',
        'id = (SELECT appointment_id FROM chairside_payments WHERE id = ?)',
      ),
    },
    barbers: { get: get('barbers') },
    businesses: {
      get: get('businesses'),
      getByAppointment: one(
        'businesses',
        'id = (SELECT business_id FROM chairside_appointments WHERE id = ?)',
      ),
    },
    ledgers: {
      get: (id) =>
        read(() => {
          const row = getLedger.get(id);
          return row === undefined ? emptyLedger(id) : toLedger(row);
        }),
    },
    payments: {
      get: get('payments'),
      listByAppointment: (id, limit, businessId) => paymentsOf(id, businessId ?? null, limit),
      listDue: listDue('payments'),
      listOpen: list(
        'payments',
        `business_id = ? AND next_check_at <= ? AND state NOT IN ('captured', 'canceled')
        ORDER BY next_check_at`,
      ),
      listCaptured: listSpan('payments', 'business_id', 'captured_at'),
      listAll: (limit, after = '') => payments(after, limit),
    },
    keys: { get: one('keys', 'subject = ? AND key = ?') },
    events: {
      listDue: listAs(
        'events',
        `deliver_at <= ? AND NOT ${hasEarlier('chairside_events.subject', 'chairside_events.version')}
        ORDER BY deliver_at`,
        toPendingEvent,
      ),
      listDead: (limit, { subject, version } = { subject: '', version: 0 }) =>
        deadEvents(subject, version, limit),
      listKept: (limit, { keptAt, subject, version } = beginning) =>
        keptEvents(keptAt, subject, version, limit),
    },
    processorEvents: { has: has('processor_events', 'id = ?') },
    returned: { has: has('returned', 'account = ? AND kind = ? AND id = ?') },
    refunds: {
      get: get('refunds'),
      listByPayment: list('refunds', 'payment_id = ? ORDER BY id'),
      listDue: listDue('refunds'),
    },
    disputes: {
      get: get('disputes'),
      listByPayment: list('disputes', 'payment_id = ? ORDER BY id'),
      list: (state, limit, after = '') => disputes(state, after, limit),
    },
    tenders: {
      get: get('tenders'),
      listByAppointment: newest('tenders', 'appointment_id = ?', 'at DESC, id DESC'),
      listByPayment: list('tenders', 'payment_id = ? ORDER BY at'),
      list: listSpan('tenders', 'business_id', 'at'),
      listAll: (limit, after = '') => tenders(after, limit),
    },
    shares: {
      get: get('shares'),
      listByAppointment: newest('shares', 'appointment_id = ?', 'at DESC, id DESC'),
      listByPayment: list('shares', 'payment_id = ? ORDER BY at'),
      list: listSpan('shares', 'business_id', 'at'),
    },
    movements: {
      list: listSpan('movements', 'business_id', 'at'),
      listByPayment: list('movements', 'payment_id = ? ORDER BY at'),
    },
    settlements: {
      list: listSpan('settlements', 'business_id', 'at'),
      listUnknown: listSpan('settlements', 'business_id IS NULL AND account', 'at'),
      listByPayment: list('settlements', 'payment_id = ? ORDER BY at'),
      sumOfPayout: (payoutId, businessId) =>
        read(() => sumOfPayout.all(payoutId, businessId, businessId).map(toPayoutSum)),
    },
    payouts: {
      get: get('payouts'),
      list: listSpan('payouts', 'account', 'arrives_at'),
    },
    reviews: {
      get: get('reviews'),
      list: (state, limit, after = '') =>
        (state === 'open' ? openReviews : resolvedReviews)(after, limit),
      listOpenOf: list('reviews', 'account = ? AND reason = ? AND resolved_at IS NULL ORDER BY id'),
    },
    setups: {
      get: get('setups'),
      listDue: listDue('setups'),
      listByCustomer: newest('setups', 'customer_id = ?'),
    },
    sweeps: {
      get: one('sweeps', 'account = ?'),
      listStale: list('sweeps', 'swept_before <= ? ORDER BY tried_at'),
    },
    facts: { get: one('facts', 'name = ?') },
    financialAccounts: { get: get('financial_accounts') },
    schedules: { get: get('schedules') },
    payoutPreferences: {
      get: one('payout_preferences', 'business_id = ?'),
    },
    actors: {
      get: one('actors', 'number = ?'),
      getBySubject: one('actors', 'subject = ?'),
    },
    terminals: {
      get: get('terminals'),
      getByDeviceIdentifier: one('terminals', 'device_identifier = ?'),
      listByBarber: newest('terminals', 'barber_id = ?'),
      listAll: (limit, after = '') => terminals(after, limit),
    },
  };
}

const beginning = { keptAt: Number.MIN_SAFE_INTEGER, subject: '', version: 0 };

type Prepare = ReturnType<typeof preparer>;

/** The kinds of reads, each of one statement. */
function createFinders(prepare: Prepare, read: <T>(find: () => T) => Read<T>) {
  return { one, get, has, list, listAs, listSpan, newest, listDue };

  /** The record that meets the condition. */
  function one<T extends ReadableTable>(table: T, condition: string) {
    const record = decoderOf(table);
    const text = `SELECT * FROM chairside_${table} WHERE ${condition}`;
    const statement = prepare<StoredRow<T>>(text);
    return (...values: Cell[]) =>
      read(() => {
        const row = statement.get(...values);
        return row === undefined ? undefined : record(row);
      });
  }

  function get<T extends ReadableTable>(table: T) {
    return one(table, 'id = ?');
  }

  function has(table: string, condition: string) {
    const statement = prepare(`SELECT 1 FROM chairside_${table} WHERE ${condition}`);
    return (...values: Cell[]) => read(() => statement.get(...values) !== undefined);
  }

  /** The records in an order, up to a limit, which is the last value. */
  function list<T extends ReadableTable>(table: T, ordered: string) {
    return listAs(table, ordered, decoderOf(table));
  }

  function listAs<Row, T>(table: string, ordered: string, from: (row: Row) => T) {
    const statement = prepareList<Row>(table, ordered);
    return (...values: Cell[]) => read(() => statement.all(...values).map(from));
  }

  /** The owner's records of a span, in order of time. */
  function listSpan<T extends ReadableTable>(table: T, owner: string, time: string) {
    const ordered = `${owner} = ? AND ${time} >= ? AND ${time} < ? ORDER BY ${time}`;
    const listed = list(table, ordered);
    return (id: string, { from, until }: Span, limit: number) => listed(id, from, until, limit);
  }

  /** The newest records, oldest first. */
  function newest<T extends ReadableTable>(
    table: T,
    condition: string,
    order = 'created_at DESC, rowid DESC',
  ) {
    const listed = list(table, `${condition} ORDER BY ${order}`);
    return (...values: Cell[]) => listed(...values).map((found) => found.reverse());
  }

  /** The records to check: the longest due first, and then those whose time a wrong clock has written. */
  function listDue<T extends ReadableTable>(table: T) {
    const record = decoderOf(table);
    const overdue = prepareList<StoredRow<T>>(table, 'next_check_at <= ? ORDER BY next_check_at');
    const ahead = prepareList<StoredRow<T>>(table, 'next_check_at > ? ORDER BY next_check_at');
    return (now: EpochMs, limit: number) =>
      read(() => {
        const due = overdue.all(now, limit);
        const left = limit - due.length;
        const all = left > 0 ? [...due, ...ahead.all(now + longestWaitMs, left)] : due;
        return all.map(record);
      });
  }

  /** To SQLite, a negative limit means no limit. */
  function prepareList<Row>(table: string, ordered: string) {
    const text = `SELECT * FROM chairside_${table} WHERE ${ordered} LIMIT max(0, ?)`;
    return prepare<Row>(text);
  }
}
