/**
 * SQLite's name for what went wrong, such as `SQLITE_BUSY`. Read from the value and not by its
 * class: a host's database may come from another copy of better-sqlite3.
 */
export function sqliteCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : '';
}

/** Another connection holds the lock: the same call may succeed a little later. */
export function isBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(sqliteCode(error));
}

/** What may be told to a log: a SyntaxError quotes the stored text that `JSON.parse` could not read. */
export function withoutValues(error: unknown): unknown {
  return error instanceof SyntaxError ? new Error('A stored text cannot be read') : error;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Told to `onError`, once: the store answers nothing any more, and no call of it says why (D70). */
export class SqliteStoreFailed extends Error {
  override readonly name = 'SqliteStoreFailed';

  constructor(statement: 'COMMIT' | 'ROLLBACK', cause: unknown) {
    super(
      `A ${statement} failed: nothing is read or written until the store is opened again; restart the process (${messageOf(cause)})`,
      { cause },
    );
  }
}
