import { err, ok, Result, type Store } from '@chairside/core';
import BetterSqlite3, { type Database } from 'better-sqlite3';
import { migrate } from './migrate.ts';
import { createOwnersFile } from './new-file.ts';
import { refusedPragma, setPragmas, shortenWait } from './pragmas.ts';
import { messageOf, sqliteCode } from './sqlite-error.ts';
import { prepareStatements, type Statements } from './statements.ts';
import { createStore } from './store.ts';

/** Chairside's records in one SQLite file. A plain object: replace a group by spreading it (D35). */
export type SqliteStore = Store;

export interface SqliteStoreOptions {
  /**
   * Is told of what SQLite could not do, or what could not be read. The port's answers say only
   * that the store is unavailable; this says why. Holds no stored values. After a
   * {@link SqliteStoreFailed} the process must be started again.
   */
  readonly onError?: ((error: unknown) => void) | undefined;
  /**
   * How often a batch asks for a write lock that another process holds, before its commits are
   * answered `notApplied`. Default 60: about four seconds.
   */
  readonly maxBusyAttempts?: number | undefined;
}

export type SqliteOpenFailure =
  /** Its folder does not exist, or no path was given. */
  | 'missingFolder'
  /** It cannot be opened for reading and writing: missing rights, or not a regular file. */
  | 'unwritable'
  | 'notADatabase'
  /** Another connection holds it, or the host's own is inside a transaction. */
  | 'locked'
  /** Written by a later version of this package; nothing was touched. */
  | 'newerSchema'
  /** SQLite did not take a setting that durability needs. */
  | 'pragmaNotHonoured'
  | 'failed';

export interface SqliteOpenError {
  readonly kind: 'sqliteOpenError';
  readonly reason: SqliteOpenFailure;
  /** For a person: which file, and what was wrong with it. */
  readonly message: string;
}

/**
 * Opens the store and brings its schema up to date.
 *
 * @param pathOrDatabase a path in a folder that exists, `:memory:` for tests, or the host's own
 * better-sqlite3 database. The latter is switched to WAL, `synchronous=FULL` and a short busy
 * timeout, and stays open on `close()`. Our tables begin with `chairside_`. While the host has a
 * transaction open on it across an `await`, commits are answered `storeUnavailable`.
 */
export function openSqliteStore(
  pathOrDatabase: string | Database,
  options: SqliteStoreOptions = {},
): Result<SqliteStore, SqliteOpenError> {
  // A host without types may give neither, such as a setting that is not there.
  if (typeof pathOrDatabase !== 'string' && typeof pathOrDatabase?.prepare !== 'function') {
    const message = 'The database: no path was given';
    return err({ kind: 'sqliteOpenError', reason: 'missingFolder', message });
  }
  const ownsDatabase = typeof pathOrDatabase === 'string';
  const name = ownsDatabase ? pathOrDatabase : pathOrDatabase.name;
  return (ownsDatabase ? connect(pathOrDatabase) : ok(pathOrDatabase))
    .andThen((db) =>
      prepare(db)
        .map((statements) => createStore(db, statements, { ...options, ownsDatabase }))
        .mapErr((failure) => {
          if (ownsDatabase) db.close();
          return failure;
        }),
    )
    .mapErr(({ reason, why }) => ({
      kind: 'sqliteOpenError',
      reason,
      message: `${name || 'The database'}: ${why}`,
    }));
}

interface Failure {
  readonly reason: SqliteOpenFailure;
  readonly why: string;
}

function connect(path: string): Result<Database, Failure> {
  // SQLite takes an empty path for a temporary database, and would forget every payment.
  if (path.trim() === '') return err({ reason: 'missingFolder', why: 'no path was given' });
  return Result.fromThrowable(() => {
    createOwnersFile(path);
    const db = new BetterSqlite3(path);
    // Savepoints keep their undo log in a file otherwise, which costs a tenth of the speed.
    db.pragma('temp_store = MEMORY');
    return db;
  }, failureOf)();
}

function prepare(db: Database): Result<Statements, Failure> {
  if (db.inTransaction) return err({ reason: 'locked', why: 'a transaction is open on it' });
  if (db.readonly) return err({ reason: 'unwritable', why: 'it was opened for reading only' });
  return Result.fromThrowable(setUp, failureOf)(db).andThen((result) => result);
}

/** Throws what SQLite throws. */
function setUp(db: Database): Result<Statements, Failure> {
  setPragmas(db);
  if (!migrate(db)) return err({ reason: 'newerSchema', why: 'a later version wrote it' });
  const statements = prepareStatements(db);
  const refused = refusedPragma(db) ?? shortenWait(db);
  if (refused !== undefined) {
    return err({ reason: 'pragmaNotHonoured', why: `SQLite did not take ${refused}` });
  }
  return ok(statements);
}

function failureOf(error: unknown): Failure {
  const why = messageOf(error);
  const code = sqliteCode(error);
  if (why.includes('directory does not exist')) return { reason: 'missingFolder', why };
  if (/^SQLITE_(CANTOPEN|READONLY|PERM)/.test(code)) return { reason: 'unwritable', why };
  if (/^SQLITE_(NOTADB|CORRUPT)/.test(code)) return { reason: 'notADatabase', why };
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) return { reason: 'locked', why };
  return { reason: 'failed', why };
}
