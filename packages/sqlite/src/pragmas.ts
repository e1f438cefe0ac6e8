import type { Database } from 'better-sqlite3';
import { isBusy } from './fault.ts';

/**
 * SQLite's own wait for another connection's lock. It is short because it blocks the event loop;
 * the commit queue waits longer without blocking.
 */
export const busyTimeoutMs = 25;

/** While a store is opened no request waits yet, and another process may be migrating. */
export const defaultOpeningTimeoutMs = 10_000;

const full = 2;

/** The pause between attempts to switch a file to WAL. The other process needs only a moment. */
const switchPauseMs = 5;
const maxSwitches = 200;

/** Sets the pragmas that make an acknowledged write survive power loss. Throws SQLite's errors. */
export function setPragmas(db: Database, openingTimeoutMs: number): void {
  switchToWal(db, openingTimeoutMs);
  // Set even if it already reads FULL. better-sqlite3 lowers a level that was not set to NORMAL
  // when it first touches a WAL file, and NORMAL may lose the latest commits. The host's
  // class (D90) may have chosen EXTRA, which is stricter.
  db.pragma(`synchronous = ${Math.max(full, readPragma(db, 'synchronous'))}`);
  // Only macOS uses it: its plain fsync leaves the data in the drive's cache.
  db.pragma('fullfsync = ON');
}

/**
 * Also sets the connection's timeout to `openingTimeoutMs`. Tries again, because SQLite does not wait
 * where two processes open a new file at once: waiting for each other, they would wait for ever.
 */
function switchToWal(db: Database, openingTimeoutMs: number): void {
  db.pragma(`busy_timeout = ${openingTimeoutMs}`);
  const endsAt = performance.now() + openingTimeoutMs;
  for (let attempts = 1; ; attempts += 1) {
    try {
      db.pragma('journal_mode = WAL');
      return;
    } catch (error) {
      if (!isBusy(error) || attempts === maxSwitches || performance.now() >= endsAt) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, switchPauseMs);
    }
  }
}

/**
 * From now on waiting would block requests. It must be the last step of opening: an earlier read
 * may have to wait for another process that recovers or writes the file.
 * @returns the setting, if it was not honoured.
 */
export function shortenWait(db: Database): string | undefined {
  db.pragma(`busy_timeout = ${busyTimeoutMs}`);
  const isHonoured = readPragma(db, 'busy_timeout') === busyTimeoutMs;
  return isHonoured ? undefined : `busy_timeout = ${busyTimeoutMs}`;
}

/**
 * Reads the pragmas back, after the first read of the file.
 * @returns the first that was not honoured, if any. Throws SQLite's errors.
 */
export function refusedPragma(db: Database): string | undefined {
  const journal = db.pragma('journal_mode', { simple: true });
  // A database in memory has no WAL and needs none.
  if (journal !== 'wal' && !db.memory) return 'journal_mode = WAL';
  if (readPragma(db, 'synchronous') < full) return 'synchronous = FULL';
  if (readPragma(db, 'fullfsync') !== 1) return 'fullfsync = ON';
  return undefined;
}

/** The settings on which durability depends. Throws SQLite's errors. */
export function durabilityOf(db: Database): Readonly<Record<string, string>> {
  const levels = ['OFF', 'NORMAL', 'FULL', 'EXTRA'];
  return {
    journal_mode: String(db.pragma('journal_mode', { simple: true })),
    synchronous: levels[readPragma(db, 'synchronous')] ?? 'unknown',
    fullfsync: readPragma(db, 'fullfsync') === 1 ? 'on' : 'off',
  };
}

function readPragma(db: Database, name: string): number {
  // A bigint, if the host's class reads integers so (D90).
  return Number(db.pragma(name, { simple: true }));
}
