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
