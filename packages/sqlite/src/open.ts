import { err, type Result, type Store } from '@chairside/core';
import type { Database } from 'better-sqlite3';
import { connectBeside, connectTo } from './connect.ts';
import type { SqliteOpenFailure } from './open-failure.ts';
import { openStoreOn } from './open-on.ts';

/** Chairside's records in one SQLite file. A plain object: replace a group by spreading it (D35). */
export type SqliteStore = Store;

export interface SqliteStoreOptions {
  /**
   * Receives the reason of each failed read and write; the port's answers say only that the store is
   * unavailable. Holds no stored values. After a {@link SqliteStoreFailed} the process must be
   * started again; after any other error it must not.
   */
  readonly onError?: ((error: unknown) => void) | undefined;
  /**
   * How often a batch asks for a write lock that another connection holds, before its commits are
   * answered `notApplied`. Default 60: about four seconds.
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
  /** For a person: which file, and what was wrong with it. */
  readonly message: string;
}

/**
 * Opens the store and brings its schema up to date.
 *
 * @param pathOrDatabase a path in a folder that exists, `:memory:` for tests, or a host's own
 * better-sqlite3 database in WAL mode. Of the latter only the file is used: the store opens a
 * connection of its own to it, and leaves the host's as it is (D90). Our tables begin with
 * `chairside_`.
 */
export function openSqliteStore(
  pathOrDatabase: string | Database,
  options: SqliteStoreOptions = {},
): Result<SqliteStore, SqliteOpenError> {
  // A host without types may give neither, such as a setting that is missing.
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
