import { type EpochMs, errAsync } from '@chairside/core';
import { emptyLedger, type Read, type Store, tell } from '@chairside/core/ports';
import {
  commonReads,
  decoderOf,
  longestWaitMs,
  type StoredRow,
  type TableName,
  toLedger,
  toPayoutSum,
  workOf,
} from '@chairside/core/storage';
import type { Database } from 'better-sqlite3';
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
    ...createReads(
      db,
      (find) => (closing === undefined ? reads.add(find) : errAsync(notApplied)),
      report,
    ),

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
export function createReads(
  db: Database,
  read: <T>(find: () => T) => Read<T>,
  report: (error: unknown) => void,
): Reads {
  const prepare = preparer(db);
  const common = commonReads(createFinders(prepare, read, report));
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
  const getSchemaVersion = prepare<{ readonly version: number }>(
    'SELECT coalesce(max(version), 0) AS version FROM chairside_migrations',
  );
  const getVersion = prepare<{ readonly version: string }>('SELECT sqlite_version() AS version');

  return {
    ...common,
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
    ledgers: {
      get: (id) =>
        read(() => {
          const row = getLedger.get(id);
          return row === undefined ? emptyLedger(id) : toLedger(row);
        }),
    },
    settlements: {
      ...common.settlements,
      sumOfPayout: (payoutId, businessId) =>
        read(() => sumOfPayout.all(payoutId, businessId, businessId).map(toPayoutSum)),
    },
  };
}

/** The kinds of reads, each of one statement, except what is due. */
function createFinders(
  prepare: ReturnType<typeof preparer>,
  read: <T>(find: () => T) => Read<T>,
  report: (error: unknown) => void,
) {
  return { isTrue: (column: string) => `${column} = 1`, has, one, list, work, newest, due };

  function has(table: string, condition: string) {
    const statement = prepare(inSqlite(`SELECT 1 FROM @${table} WHERE ${condition}`));
    return (...values: Cell[]) => read(() => statement.get(...values) !== undefined);
  }

  function one<T extends TableName>(table: T, condition: string) {
    const record = decoderOf(table);
    const statement = prepare<StoredRow<T>>(inSqlite(`SELECT * FROM @${table} WHERE ${condition}`));
    return (...values: Cell[]) =>
      read(() => {
        const row = statement.get(...values);
        return row === undefined ? undefined : record(row);
      });
  }

  function list<T extends TableName>(table: T, condition: string, order: string) {
    const record = decoderOf(table);
    const statement = prepareList<StoredRow<T>>(table, `${condition} ORDER BY ${order}`);
    return (...values: Cell[]) => read(() => statement.all(...values).map(record));
  }

  function work<T extends TableName>(table: T, condition: string, order: string) {
    const records = workOf(table, report);
    const statement = prepareList<StoredRow<T>>(table, `${condition} ORDER BY ${order}`);
    return (...values: Cell[]) => read(() => records(statement.all(...values)));
  }

  /** Each table has an index by owner and time, which has rows of one moment in the order of writing or of ids. */
  function newest<T extends TableName>(table: T, condition: string, time: string) {
    const found = list(table, condition, `${time} DESC`);
    return (...values: Cell[]) => found(...values).map((records) => records.reverse());
  }

  function due<T extends TableName>(table: T, mustBeWhole?: true) {
    const records = workOf(table, report, mustBeWhole);
    const overdue = prepareList<StoredRow<T>>(table, 'next_check_at <= ? ORDER BY next_check_at');
    const ahead = prepareList<StoredRow<T>>(table, 'next_check_at > ? ORDER BY next_check_at');
    return (now: EpochMs, limit: number) =>
      read(() => {
        const found = overdue.all(now, limit);
        const left = limit - found.length;
        const all = left > 0 ? [...found, ...ahead.all(now + longestWaitMs, left)] : found;
        return records(all);
      });
  }

  /** To SQLite, a negative limit means no limit. */
  function prepareList<Row>(table: string, ordered: string) {
    return prepare<Row>(inSqlite(`SELECT * FROM @${table} WHERE ${ordered} LIMIT max(0, ?)`));
  }
}

/**
 * SQLite's values have no declared types. A bare `?` may decide the plan of a statement with an order or a limit,
 * so that SQLite would compile it again for each value.
 */
function inSqlite(text: string): string {
  return text.replaceAll('@', 'chairside_').replaceAll(/[?#]/g, '+?');
}
