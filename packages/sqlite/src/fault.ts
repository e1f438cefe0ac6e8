import { messageOf, sqliteCode } from './sqlite-error.ts';

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
    'A file of the database cannot be opened: missing, missing rights (EACCES), or too many open files (EMFILE)',
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
