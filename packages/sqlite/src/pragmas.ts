import type { Database } from 'better-sqlite3';
import { isBusy } from './sqlite-error.ts';

/**
 * How long SQLite itself waits for another connection's lock. It blocks the event loop, so it is
 * short: the commit queue waits longer, without blocking.
 */
export const busyTimeoutMs = 25;

/** While a store is opened no request waits yet, and another process may be migrating. */
export const defaultOpeningTimeoutMs = 10_000;

const full = 2;

/** Between attempts to make a file a WAL: the other process needs but a moment. */
const switchPauseMs = 5;
const maxSwitches = 200;

/** Asks for what makes an acknowledged write survive power loss. Throws what SQLite throws. */
export function setPragmas(db: Database, openingTimeoutMs: number): void {
  switchToWal(db, openingTimeoutMs);
  // Set even where it reads FULL already: better-sqlite3 lowers a level that was not set to NORMAL
  // as soon as it first touches a WAL file, and NORMAL may lose the latest commits. A host may have
  // chosen EXTRA, which is more.
  db.pragma(`synchronous = ${Math.max(full, readPragma(db, 'synchronous'))}`);
  // Only macOS heeds it: there, a plain fsync leaves the data in the drive's own cache.
  db.pragma('fullfsync = ON');
}

/**
 * Also sets the connection's timeout to `openingTimeoutMs`. Tries again, because SQLite does not wait
 * where two processes open a new file at once: waiting for each other, they would wait for ever.
 */
export function switchToWal(db: Database, openingTimeoutMs: number): void {
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
 * From now on waiting would block requests. Must be the last step of opening: anything before it
 * that reads the file may have to wait for another process, which recovers it or writes.
 * @returns the setting, if it was not honoured.
 */
export function shortenWait(db: Database): string | undefined {
  db.pragma(`busy_timeout = ${busyTimeoutMs}`);
  const isHonoured = readPragma(db, 'busy_timeout') === busyTimeoutMs;
  return isHonoured ? undefined : `busy_timeout = ${busyTimeoutMs}`;
}

/**
 * Reads them back, after the file was read for the first time.
 * @returns the first that was not honoured, if any. Throws what SQLite throws.
 */
export function refusedPragma(db: Database): string | undefined {
  const journal = db.pragma('journal_mode', { simple: true });
  // A database in memory has no WAL, and nothing to lose.
  if (journal !== 'wal' && !db.memory) return 'journal_mode = WAL';
  if (readPragma(db, 'synchronous') < full) return 'synchronous = FULL';
  if (readPragma(db, 'fullfsync') !== 1) return 'fullfsync = ON';
  return undefined;
}

function readPragma(db: Database, name: string): number {
  // A number, or a bigint where a host reads its integers so.
  return Number(db.pragma(name, { simple: true }));
}
