import { setImmediate as atEndOfTurn } from 'node:timers';
import { err, errAsync, ok, type Read, ResultAsync } from '@chairside/core';
import type { Database } from 'better-sqlite3';
import type { Statements } from './statements.ts';
import { notApplied } from './writer.ts';

/** The maximum of reads in a row, because they block the event loop. */
const maxBatchReads = 256;
/** Reads beyond this are refused: they would finish after their callers give up. */
const maxWaiting = 10_000;

export interface ReadQueue {
  add<T>(find: () => T): Read<T>;
  /** Whether reads are waiting. */
  areWaiting(): boolean;
  /** Resolves when all waiting reads have their results. */
  settled(): Promise<unknown>;
}

/**
 * Runs all reads of one turn of the event loop at its end, in one transaction (D71). Each read
 * saves its locks, and the requests run the same code together, which the CPU caches favour.
 */
export function createReadQueue(
  db: Database,
  { beginRead, rollback }: Statements,
  on: {
    /** Whether reads are reliable now. */
    readonly isReadable: () => boolean;
    /** Receives SQLite's errors and those of corrupt rows. */
    readonly error: (error: unknown) => void;
  },
): ReadQueue {
  const waiting: ((isReadable: boolean) => void)[] = [];
  let latest: Promise<unknown> = Promise.resolve();

  function add<T>(find: () => T): Read<T> {
    if (waiting.length >= maxWaiting) return errAsync(notApplied);
    if (waiting.length === 0) atEndOfTurn(readBatch);
    const answer = new Promise<Awaited<Read<T>>>((resolve) =>
      waiting.push((isReadable) => resolve(isReadable ? read(find) : err(notApplied))),
    );
    latest = answer;
    return new ResultAsync(answer);
  }

  function read<T>(find: () => T): Awaited<Read<T>> {
    try {
      return ok(find());
    } catch (error) {
      on.error(withoutValues(error));
      return err(notApplied);
    }
  }

  function readBatch(): void {
    const batch = waiting.splice(0, maxBatchReads);
    if (waiting.length > 0) atEndOfTurn(readBatch);
    const isBegun = begin(batch.length);
    for (const answer of batch) answer(isBegun);
    if (isBegun) end();
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
