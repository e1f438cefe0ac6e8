import { err, ok, Result } from '@chairside/core';
import { type Store, tell, unknownOption } from '@chairside/core/ports';
import { movingMark } from '@chairside/core/storage';
import type { Database } from 'better-sqlite3';
import { connect, fileOf, nextPath } from './connect.ts';
import { isBusy } from './fault.ts';
import { standOn } from './ground.ts';
import { migrate } from './migrate.ts';
import { type Failure, failureOf, type SqliteOpenFailure } from './open-failure.ts';
import { doubtfulPlace } from './place.ts';
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

const optionNames: Readonly<Record<keyof SqliteStoreOptions, true>> = {
  onError: true,
  maxBusyAttempts: true,
  openingTimeoutMs: true,
};

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
  const path = nextPath(pathOrDatabase);
  const unknown = unknownOption(options, optionNames);
  const opened: Result<Database, Failure> =
    unknown === undefined
      ? connect(pathOrDatabase)
      : err({ reason: 'unknownOption', why: unknown });
  return opened
    .andThen((db) => openStoreOn(db, { ...options, path }))
    .mapErr((failure) => openError(name, failure));
}

export function openError(name: string, { reason, why }: Failure): SqliteOpenError {
  return { kind: 'sqliteOpenError', reason, message: `${name || 'The database'}: ${why}` };
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
  const version = String(db.prepare('SELECT sqlite_version()').pluck().get());
  const file = fileOf(db);
  const doubt = file === '' ? undefined : doubtfulPlace(file);
  if (doubt !== undefined) tell(options.onError, new Error(doubt));
  if (file !== '' && losesCommits(version)) {
    return err({ reason: 'unsuitable', why: outdated(version) });
  }
  // Otherwise savepoints keep their undo log in a file, which costs a tenth of the speed.
  db.pragma('temp_store = MEMORY');
  const { openingTimeoutMs = defaultOpeningTimeoutMs } = options;
  setPragmas(db, openingTimeoutMs);
  const mark = db.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(movingMark);
  if (mark !== undefined) return err({ reason: 'moving', why: movedAway });
  const schema = migrate(db, {
    waitMs: options.openingTimeoutMs,
    tell: (progress) => tell(options.onError, progress),
  });
  if (schema.kind === 'refused') return err(schema);
  checkWritable(db);
  db.pragma(`busy_timeout = ${openingTimeoutMs}`);
  return standOn(db, openingTimeoutMs, options.path).andThen((footing): Result<Store, Failure> => {
    const store = createStore(db, footing, options);
    const refused = refusedPragma(db) ?? shortenWait(db);
    if (refused === undefined) return ok(store);
    footing.close();
    return err({ reason: 'pragmaNotHonoured', why: `SQLite did not accept ${refused}` });
  });
}

/** The versions with the fix of the WAL-reset bug: the first one, and the branches that got it too. */
const fixedIn: Readonly<Record<number, number>> = { 44: 6, 50: 7, 51: 3 };

/** Whether a checkpoint of this SQLite may forget a commit that another connection has just acknowledged. */
export function losesCommits(version: string): boolean {
  const [major, minor = 0, patch = 0] = version.split('.').map(Number);
  const isOfBug = major === 3 && minor >= 7 && minor <= 51;
  return isOfBug && patch < (fixedIn[minor] ?? Number.POSITIVE_INFINITY);
}

const outdated = (version: string) =>
  `its better-sqlite3 has SQLite ${version}, which can lose a commit that it has acknowledged (https://sqlite.org/wal.html#the_wal_reset_bug). Use one with SQLite 3.51.3 or later, such as better-sqlite3 13`;

const movedAway = `its records were copied to another store, or a copy was interrupted. If that store takes no payments, and none has taken one since, open the file again after: sqlite3 <file> 'DROP TRIGGER ${movingMark}'`;

/** Throws SQLite's error if the files can be read and not written: every payment would fail. */
function checkWritable(db: Database): void {
  db.pragma('busy_timeout = 0');
  try {
    // To begin is not enough: where the file can only be read, SQLite begins a transaction that reads.
    db.exec('BEGIN IMMEDIATE; DELETE FROM chairside_commits WHERE FALSE; ROLLBACK');
  } catch (error) {
    // Another connection may hold the lock for long, and the files were opened for writing.
    if (!isBusy(error)) throw error;
  }
}
