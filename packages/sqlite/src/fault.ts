/**
 * SQLite's extended result code, such as `SQLITE_BUSY`. It is read from the value, not by the
 * error's class, because a host's database may come from another copy of better-sqlite3.
 */
export function sqliteCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : '';
}

/** Another connection holds the lock: the same call may succeed later. */
export function isBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(sqliteCode(error));
}

const longestBusyPauseMs = 50;

/** The pause after so many attempts that met the lock. */
export function busyPauseMs(attempts: number): number {
  return Math.min(2 ** attempts, longestBusyPauseMs);
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * The meaning of SQLite's result codes for an operator. The longest matching prefix of a code
 * counts. docs/operate/operating.md names a remedy for each.
 */
export const meanings: Readonly<Record<string, string>> = {
  SQLITE_FULL: 'The disk is full, or a quota is used up (ENOSPC, EDQUOT)',
  SQLITE_IOERR: 'The disk failed (EIO)',
  SQLITE_IOERR_READ: 'The disk could not read the database (EIO)',
  SQLITE_IOERR_SHORT_READ: 'The disk could not read the database (EIO)',
  SQLITE_IOERR_CORRUPTFS: 'The disk could not read the database (EIO)',
  SQLITE_IOERR_WRITE: 'The disk refused to write (EIO), or a file may not grow further (EFBIG)',
  SQLITE_IOERR_FSYNC: 'The disk could not flush what was written (EIO)',
  SQLITE_IOERR_DIR_FSYNC: 'The disk could not flush what was written (EIO)',
  SQLITE_IOERR_SHM: 'The -shm file could not be made or grown: the disk is full or fails',
  SQLITE_IOERR_NOMEM: 'There is too little memory (ENOMEM)',
  SQLITE_IOERR_LOCK: 'The file system cannot lock files, as on some network drives (ENOLCK)',
  SQLITE_IOERR_RDLOCK: 'The file system cannot lock files, as on some network drives (ENOLCK)',
  SQLITE_NOMEM: 'There is too little memory (ENOMEM)',
  SQLITE_READONLY:
    'The database may not be written: missing rights (EACCES), or a disk that was mounted read-only (EROFS)',
  SQLITE_READONLY_DBMOVED: 'The database file was moved or deleted while it is in use',
  SQLITE_CANTOPEN:
    'A file of the database cannot be opened: missing, missing rights (EACCES), a disk that is mounted read-only (EROFS), or too many open files (EMFILE)',
  SQLITE_NOTADB: 'The file is not a database, or it is encrypted',
  SQLITE_CORRUPT: 'A page of the database is damaged, or the disk failed to read it (EIO)',
  SQLITE_BUSY: 'Another connection holds the lock of the database',
  SQLITE_LOCKED: 'Another connection holds the lock of the database',
};

const prefixes = Object.keys(meanings).sort((a, b) => b.length - a.length);

/** The meaning of an SQLite code. `undefined` for codes that no disk or other process causes. */
export function meaningOf(code: string): string | undefined {
  const prefix = prefixes.find((known) => code.startsWith(known));
  return prefix === undefined ? undefined : meanings[prefix];
}

/** An SQLite error with its meaning. `cause` is the original error. */
export class SqliteFault extends Error {
  override readonly name = 'SqliteFault';
  /** SQLite's extended result code, such as `SQLITE_IOERR_READ`. */
  readonly code: string;

  constructor(code: string, meaning: string, cause: unknown) {
    super(`${meaning} (${messageOf(cause)}, ${code})`, { cause });
    this.code = code;
  }
}

/** The same error, with its meaning if the code has one. */
export function explained(error: unknown): unknown {
  if (error instanceof SqliteFault) return error;
  const code = sqliteCode(error);
  const meaning = meaningOf(code);
  return meaning === undefined ? error : new SqliteFault(code, meaning, error);
}

/**
 * Reported to `onError`, once: a COMMIT failed (D70), or a file was deleted, moved or replaced (D205). The
 * store is unavailable until the process starts again.
 */
export class SqliteStoreFailed extends Error {
  override readonly name = 'SqliteStoreFailed';

  constructor(failed: { readonly statement: string; readonly cause: unknown } | LostFile) {
    const unavailable = 'the store stays unavailable until it is opened again';
    super(
      'lost' in failed
        ? `${failed.lost} was deleted, moved or replaced while it is in use: ${unavailable}. End every process that uses the database; if its files were moved, move them back together; then start again`
        : `A ${failed.statement} failed: ${unavailable}; restart the process. ${messageOf(explained(failed.cause))}`,
      'lost' in failed ? {} : { cause: failed.cause },
    );
  }
}

interface LostFile {
  /** The path of the database, or of the file beside it. */
  readonly lost: string;
}

const pageBytes = 4096;
const megabytes = (pages: number) => Math.ceil((pages * pageBytes) / 1_000_000);

/** Reported to `onError` repeatedly while the database file cannot be written (D90). */
export class SqliteCheckpointFailed extends Error {
  override readonly name = 'SqliteCheckpointFailed';

  constructor(walPages: number, maxWalPages: number, cause: unknown) {
    const state =
      walPages < maxWalPages
        ? `writes are accepted until its WAL has ${megabytes(maxWalPages)} MB (now ${megabytes(walPages)} MB)`
        : `its WAL has ${megabytes(walPages)} MB, so writes are refused until the file can be written again`;
    super(`The database file cannot be written: ${state}. ${messageOf(explained(cause))}`, {
      cause,
    });
  }
}

/** Reported to `onError` repeatedly while a long read keeps the WAL from being emptied. */
export class SqliteWalHeld extends Error {
  override readonly name = 'SqliteWalHeld';

  constructor(heldPages: number) {
    super(
      `Another connection keeps ${megabytes(heldPages)} MB in the WAL, which grows with each payment, because it still reads an earlier state: a long report, a copy, or a statement that was never ended. Payments go on. End that connection's read; then the WAL is copied and used again`,
    );
  }
}
