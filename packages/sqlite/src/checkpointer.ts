import BetterSqlite3, { type Database } from 'better-sqlite3';
import { type CheckpointThread, startCheckpointThread } from './checkpoint-thread.ts';
import { SqliteCheckpointFailed } from './fault.ts';

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
  report: (error: unknown) => void,
  pace: Partial<Pace> = {},
): Checkpointer {
  const { checkpointPages, maxWalPages, retryMs, reportMs, restartMs } = { ...defaults, ...pace };
  const counting = db.prepare<[], { readonly log: number; readonly checkpointed: number }>(
    'PRAGMA wal_checkpoint(NOOP)',
  );
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
    const { log = 0, checkpointed = 0 } = counting.get() ?? {};
    waitingPages = log - checkpointed;
  }

  /** Throws SQLite's errors. */
  function checkpoint(): void {
    thread ??= start();
    if (thread !== undefined) {
      isRunning = true;
      thread.checkpoint();
    } else if (waitingPages >= maxWalPages || isFailing) {
      // With fewer pages a COMMIT makes the checkpoint, and SQLite hides its error.
      db.pragma('wal_checkpoint(PASSIVE)');
      done(undefined);
    }
  }

  function start(): CheckpointThread | undefined {
    // The thread loads our copy of SQLite. A second copy would drop the locks of the host's copy.
    if (!(db instanceof BetterSqlite3) || performance.now() < noThreadBefore) return undefined;
    try {
      const started = startCheckpointThread(db.name, { done, gone: goOnWithout });
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
    report(reason);
    try {
      if (db.open) db.pragma(`wal_autocheckpoint = ${threshold}`);
    } catch (error) {
      report(error);
    }
    if (isFailing) tryLater();
  }

  function done(failed: unknown): void {
    isRunning = false;
    isFailing = failed !== undefined;
    if (!isFailing) return;
    tryLater();
    const now = performance.now();
    if (now - reportedAt < reportMs) return;
    reportedAt = now;
    report(new SqliteCheckpointFailed(waitingPages, maxWalPages, failed));
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
