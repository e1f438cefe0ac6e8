import { Worker } from 'node:worker_threads';
import type { Database } from 'better-sqlite3';

/** Pages in the WAL that are worth a checkpoint: half of what SQLite waits for by default. */
const checkpointPages = 500;

/** Counting the pages costs as much as a write, so it is done once in this many COMMITs. */
const commitsPerLook = 8;

/**
 * The WAL's bound. At so many pages the thread has not kept up, and a commit itself does what is
 * left: 32 MB at SQLite's page size.
 */
const maxWalPages = 8000;

export interface Checkpointer {
  /** To be called after each COMMIT. */
  readonly committed: () => void;
  /** Resolves when the thread is gone. */
  readonly close: () => Promise<void>;
}

/**
 * Copies committed pages from the WAL into the database file in a thread of its own: otherwise the
 * commit that happens to fill the WAL does it, and everyone in that commit waits. The thread is
 * started once there is something to copy. If it cannot start, commits do it themselves, at the
 * host's own threshold. A host that turned checkpoints off (for a replicator, say) does them itself.
 */
export function createCheckpointer(db: Database, report: (error: unknown) => void): Checkpointer {
  const size = db.prepare<[], { readonly log: number; readonly checkpointed: number }>(
    'PRAGMA wal_checkpoint(NOOP)',
  );
  const pagesBefore = Number(db.pragma('wal_autocheckpoint', { simple: true }));
  let worker: Worker | undefined;
  let commits = 0;
  let isRunning = false;
  let hasFailed = false;

  function committed(): void {
    commits += 1;
    if (commits % commitsPerLook !== 0) return;
    if (isRunning || hasFailed || pagesBefore === 0) return;
    try {
      const { log = 0, checkpointed = 0 } = size.get() ?? {};
      if (log - checkpointed < checkpointPages) return;
      worker ??= start();
      worker.postMessage('checkpoint');
      isRunning = true;
    } catch (error) {
      fail(error);
    }
  }

  function start(): Worker {
    // The other file of this package lies beside this one, in its sources as in what is built.
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
    const url = new URL(`./checkpoint-worker.${extension}`, import.meta.url);
    const started = new Worker(url, { workerData: { path: db.name } });
    started.on('message', () => {
      isRunning = false;
    });
    started.on('error', fail);
    // After the listeners: one for messages keeps the process alive.
    started.unref();
    db.pragma(`wal_autocheckpoint = ${maxWalPages}`);
    return started;
  }

  function fail(error: unknown): void {
    hasFailed = true;
    report(error);
    restore();
  }

  function restore(): void {
    try {
      if (db.open) db.pragma(`wal_autocheckpoint = ${pagesBefore}`);
    } catch (error) {
      report(error);
    }
  }

  async function close(): Promise<void> {
    if (worker === undefined || hasFailed) return;
    const closing = worker;
    closing.ref();
    // Not `once`: that rejects where the thread fails as it ends, and the database must close then too.
    const gone = new Promise((resolve) => closing.once('exit', resolve));
    closing.postMessage('close');
    await gone;
    restore();
  }

  return { committed, close };
}
