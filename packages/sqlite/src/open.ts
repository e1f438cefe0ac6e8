import { err, type Result, type Store } from '@chairside/core';
import type { Database } from 'better-sqlite3';
import { connectBeside, connectTo } from './connect.ts';
import type { SqliteOpenFailure } from './open-failure.ts';
import { openStoreOn } from './open-on.ts';

/** Chairside's records in one SQLite file. A plain object: replace a group by spreading it (D35). */
export type SqliteStore = Store;

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
   * Default 10,000: another process may be migrating.
   */
  readonly openingTimeoutMs?: number | undefined;
}

export interface SqliteOpenError {
  readonly kind: 'sqliteOpenError';
  readonly reason: SqliteOpenFailure;
  /** The file and the reason, for a person. */
  readonly message: string;
}

/**
 * Opens the store and brings its schema up to date.
 *
 * @param pathOrDatabase a path in an existing folder, `:memory:` for tests, or a host's own
 * better-sqlite3 database in WAL mode. Of the latter only the file is used: the store opens its own
 * connection and leaves the host's unchanged (D90). Our tables begin with `chairside_`.
 */
export function openSqliteStore(
  pathOrDatabase: string | Database,
  options: SqliteStoreOptions = {},
): Result<SqliteStore, SqliteOpenError> {
  // Hosts without types may pass another value, such as a missing setting.
  if (typeof pathOrDatabase !== 'string' && typeof pathOrDatabase?.prepare !== 'function') {
    const message = 'The database: no path was given';
    return err({ kind: 'sqliteOpenError', reason: 'missingFolder', message });
  }
  const isPath = typeof pathOrDatabase === 'string';
  const name = isPath ? pathOrDatabase : pathOrDatabase.name;
  return (isPath ? connectTo(pathOrDatabase) : connectBeside(pathOrDatabase))
    .andThen((db) => openStoreOn(db, options))
    .mapErr(({ reason, why }) => ({
      kind: 'sqliteOpenError',
      reason,
      message: `${name || 'The database'}: ${why}`,
    }));
}
