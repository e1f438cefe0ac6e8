/**
 * SQLite's extended result code, such as `SQLITE_BUSY`. Read from the value and not by its class: a
 * host's database may come from another copy of better-sqlite3.
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

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
