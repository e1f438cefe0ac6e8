import { setTimeout as after, setImmediate as atEndOfTurn } from 'node:timers';
import { err, errAsync, ok, ResultAsync } from '@chairside/core';
import type { Read } from '@chairside/core/ports';
import type { Database } from 'better-sqlite3';
import { preparer } from './cell.ts';
import { busyPauseMs, explained, isBusy } from './fault.ts';
import { notApplied } from './writer.ts';

/** The maximum of reads in a row, because they block the event loop. */
const maxBatchReads = 256;
/** Reads beyond this are refused: they would finish after their callers give up. */
const maxWaiting = 10_000;

const lockedOut = 'Another connection locked the database for too long: reads were refused';

export interface ReadQueue {
  add<T>(find: () => T): Read<T>;
  areWaiting(): boolean;
  /** Resolves when all waiting reads have their results. */
  settled(): Promise<unknown>;
}

/**
 * Runs all reads of one turn of the event loop at its end, in one transaction (D71). Each read
 * saves its locks, and the requests run the same code together, which the CPU caches favour. While
 * another connection locks the database, reads wait as commits do.
 */
export function createReadQueue(
  db: Database,
  maxBusyAttempts: number,
  on: {
    /** Whether reads are reliable now. */
    readonly isReadable: () => boolean;
    /** Receives SQLite's errors and those of corrupt rows. */
    readonly error: (error: unknown) => void;
  },
): ReadQueue {
  const prepare = preparer(db);
  const beginRead = prepare('BEGIN');
  const rollback = prepare('ROLLBACK');
  /** Each returns false if the database is locked, and is then called again. */
  const waiting: ((isReadable: boolean) => boolean)[] = [];
  let busyAttempts = 0;
  let latest: Promise<unknown> = Promise.resolve();

  function add<T>(find: () => T): Read<T> {
    if (waiting.length >= maxWaiting) return errAsync(notApplied);
    if (waiting.length === 0) atEndOfTurn(readBatch);
    const answer = new Promise<Awaited<Read<T>>>((resolve) =>
      waiting.push((isReadable) => {
        const found = isReadable ? read(find) : err(notApplied);
        if (found !== 'busy') resolve(found);
        return found !== 'busy';
      }),
    );
    latest = answer;
    return new ResultAsync(answer);
  }

  function read<T>(find: () => T): Awaited<Read<T>> | 'busy' {
    try {
      return ok(find());
    } catch (error) {
      if (isBusy(error)) return 'busy';
      const cause = withoutValues(explained(error));
      on.error(cause);
      return err({ ...notApplied, cause });
    }
  }

  function readBatch(): void {
    const batch = waiting.slice(0, maxBatchReads);
    const isBegun = begin(batch.length);
    // Those behind a busy one wait as well, so that the last to come is the last to be read.
    const busy = batch.findIndex((answer) => !answer(isBegun));
    if (isBegun) end();
    waiting.splice(0, busy === -1 ? batch.length : busy);
    busyAttempts = busy === -1 ? 0 : busyAttempts + 1;
    if (busyAttempts >= maxBusyAttempts) {
      on.error(new Error(lockedOut));
      for (const refuse of waiting.splice(0, batch.length - busy)) refuse(false);
      busyAttempts = 0;
    }
    if (waiting.length === 0) return;
    if (busyAttempts === 0) atEndOfTurn(readBatch);
    else after(readBatch, busyPauseMs(busyAttempts));
  }

  function begin(reads: number): boolean {
    // A transaction that could not be ended shows the past.
    if (db.inTransaction || !on.isReadable()) return false;
    try {
      // A single statement is a transaction already.
      if (reads > 1) beginRead.run();
      return true;
    } catch (error) {
      on.error(error);
      return false;
    }
  }

  function end(): void {
    try {
      if (db.inTransaction) rollback.run(); // it has no changes to commit
    } catch (error) {
      on.error(error);
    }
  }

  return { add, areWaiting: () => waiting.length > 0, settled: () => latest };
}

/** `JSON.parse` quotes the stored text that it cannot parse. */
function withoutValues(error: unknown): unknown {
  return error instanceof SyntaxError ? new Error('A stored text cannot be read') : error;
}
