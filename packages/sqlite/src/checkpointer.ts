import BetterSqlite3, { type Database } from 'better-sqlite3';
import { type CheckpointThread, startCheckpointThread } from './checkpoint-thread.ts';
import { fileOf } from './connect.ts';
import { messageOf, SqliteCheckpointFailed, SqliteWalHeld } from './fault.ts';
import type { Footing } from './ground.ts';

export interface Pace {
  /** The number of WAL pages that triggers a checkpoint. */
  readonly checkpointPages: number;
  /**
   * The limit of the WAL. At this size the thread has fallen behind, and a commit copies the rest
   * itself. If that fails too, writes are refused.
   */
  readonly maxWalPages: number;
  /** The pause after a failed checkpoint. */
  readonly retryMs: number;
  /** A lasting fault is reported once in this time. */
  readonly reportMs: number;
  /** The pause after a thread failed to start. Meanwhile commits do its work. */
  readonly restartMs: number;
}

const defaults: Pace = {
  checkpointPages: 500, // half of SQLite's default
  maxWalPages: 8000, // 32 MB at SQLite's page size
  retryMs: 1000,
  reportMs: 60_000,
  restartMs: 60_000,
};

/** Pages of the WAL. SQLite says -1 for both if there is none. */
type Counted = readonly [isBusy: number, log: number, checkpointed: number];

/** Counting the pages costs as much as a write, so only one COMMIT in this many does it. */
const commitsPerLook = 8;

export interface Checkpointer {
  /** Call it after each COMMIT. */
  readonly committed: () => void;
  /** False while the database file cannot be written and the WAL is at its bound. */
  readonly hasRoom: () => boolean;
  /** Resolves when the thread has ended. */
  readonly close: () => Promise<void>;
}

/**
 * Copies committed pages from the WAL into the database file in a thread (D69). Otherwise the
 * commit that fills the WAL does it, and all its requests wait. Without a thread, commits do it
 * themselves at the connection's own threshold. A host that turned checkpoints off (for a
 * replicator, say) makes its own.
 */
export function createCheckpointer(
  db: Database,
  footing: Footing,
  on: {
    readonly error: (error: unknown) => void;
    readonly lost: (path: string) => void;
  },
  pace: Partial<Pace> = {},
): Checkpointer {
  const report = on.error;
  const { checkpointPages, maxWalPages, retryMs, reportMs, restartMs } = { ...defaults, ...pace };
  // As lists: SQLite prepares a PRAGMA anew at each call, and better-sqlite3 would compile a new kind of object.
  const counting = db.prepare<[], Counted>('PRAGMA wal_checkpoint(NOOP)').raw();
  const copying = db.prepare<[], Counted>('PRAGMA wal_checkpoint(PASSIVE)').raw();
  const threshold = Number(db.pragma('wal_autocheckpoint', { simple: true }));
  let thread: CheckpointThread | undefined;
  let noThreadBefore = 0;
  let commits = 0;
  let waitingPages = 0;
  let isRunning = false;
  let isFailing = false;
  let reportedAt = Number.NEGATIVE_INFINITY;
  let retry: NodeJS.Timeout | undefined;

  function committed(): void {
    if (threshold === 0) return;
    commits += 1;
    // Counts at each commit while the file cannot be written, because the WAL only grows.
    if (commits % commitsPerLook !== 0 && !isFailing) return;
    if (isRunning) return;
    try {
      count();
      if (waitingPages >= checkpointPages && !isFailing) checkpoint();
    } catch (error) {
      done(error);
    }
  }

  /** Throws SQLite's errors. */
  function count(): void {
    waitingPages = pagesLeft(counting.get());
  }

  /** Throws SQLite's errors. */
  function checkpoint(): void {
    thread ??= start();
    if (thread !== undefined) {
      isRunning = true;
      thread.checkpoint();
    } else if (waitingPages >= maxWalPages || isFailing) {
      // With fewer pages a COMMIT makes the checkpoint, and SQLite hides its error.
      const fault = footing.look();
      if (fault?.lost !== undefined) {
        on.lost(fault.lost);
        return;
      }
      if (fault !== undefined) throw fault.error;
      done(undefined, pagesLeft(copying.get()));
    }
  }

  function start(): CheckpointThread | undefined {
    // The thread loads our copy of SQLite. A second copy would drop the locks of the host's copy.
    if (!(db instanceof BetterSqlite3) || performance.now() < noThreadBefore) return undefined;
    try {
      const started = startCheckpointThread(fileOf(db), footing.ground, {
        done,
        gone: goOnWithout,
        lost: on.lost,
      });
      db.pragma(`wal_autocheckpoint = ${maxWalPages}`);
      return started;
    } catch (error) {
      goOnWithout(error);
      return undefined;
    }
  }

  function goOnWithout(reason: unknown): void {
    thread = undefined;
    isRunning = false;
    noThreadBefore = performance.now() + restartMs;
    report(new Error(`${noThread}: ${messageOf(reason)}`, { cause: reason }));
    try {
      if (db.open) db.pragma(`wal_autocheckpoint = ${threshold}`);
    } catch (error) {
      report(error);
    }
    if (isFailing) tryLater();
  }

  /** @param held pages that could not be copied, although nothing failed. */
  function done(failed: unknown, held = 0): void {
    isRunning = false;
    isFailing = failed !== undefined;
    if (isFailing) {
      tryLater();
      reportOften(new SqliteCheckpointFailed(waitingPages, maxWalPages, failed));
    } else if (held >= maxWalPages) reportOften(new SqliteWalHeld(held));
  }

  function reportOften(fault: Error): void {
    const now = performance.now();
    if (now - reportedAt < reportMs) return;
    reportedAt = now;
    report(fault);
  }

  function tryLater(): void {
    clearTimeout(retry);
    retry = setTimeout(tryAgain, retryMs).unref();
  }

  function tryAgain(): void {
    if (!db.open || isRunning) return;
    try {
      count();
      checkpoint();
    } catch (error) {
      done(error);
    }
  }

  async function close(): Promise<void> {
    clearTimeout(retry);
    await thread?.close();
    clearTimeout(retry);
  }

  return {
    committed,
    hasRoom: () => !isFailing || waitingPages < maxWalPages,
    close,
  };
}

function pagesLeft([, log, checkpointed]: Counted = [0, 0, 0]): number {
  return Number(log) - Number(checkpointed);
}

const noThread =
  'The checkpoint thread does not run, so commits do its work. If a bundler packed @chairside/sqlite, keep the package outside the bundle';
