import { err, ok, Result, type Store } from '@chairside/core';
import type { Database } from 'better-sqlite3';
import { connect } from './connect.ts';
import { migrate } from './migrate.ts';
import { type Failure, failureOf, type SqliteOpenFailure } from './open-failure.ts';
import { defaultOpeningTimeoutMs, refusedPragma, setPragmas, shortenWait } from './pragmas.ts';
import { createStore, type SqliteStoreOptions, type StoreOptions } from './store.ts';

/** Chairside's records in one SQLite file. A plain object: replace a group by spreading it (D35). */
export type SqliteStore = Store;

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
  const name = typeof pathOrDatabase === 'string' ? pathOrDatabase : pathOrDatabase?.name;
  return connect(pathOrDatabase)
    .andThen((db) => openStoreOn(db, options))
    .mapErr(({ reason, why }) => ({
      kind: 'sqliteOpenError',
      reason,
      message: `${name || 'The database'}: ${why}`,
    }));
}

/** Opens the store on its own connection, which is closed with the store, or on an error. */
export function openStoreOn(db: Database, options: StoreOptions = {}): Result<Store, Failure> {
  return Result.fromThrowable(setUp, failureOf)(db, options)
    .andThen((store) => store)
    .mapErr((failure) => {
      db.close();
      return failure;
    });
}

/** Throws SQLite's errors. */
function setUp(db: Database, options: StoreOptions): Result<Store, Failure> {
  // Otherwise savepoints keep their undo log in a file, which costs a tenth of the speed.
  db.pragma('temp_store = MEMORY');
  setPragmas(db, options.openingTimeoutMs ?? defaultOpeningTimeoutMs);
  if (!migrate(db)) return err({ reason: 'newerSchema', why: 'a later version wrote it' });
  const store = createStore(db, options);
  const refused = refusedPragma(db) ?? shortenWait(db);
  if (refused !== undefined) {
    return err({ reason: 'pragmaNotHonoured', why: `SQLite did not accept ${refused}` });
  }
  return ok(store);
}
