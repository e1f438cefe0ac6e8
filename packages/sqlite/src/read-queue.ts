import { setImmediate as atEndOfTurn } from 'node:timers';
import { err, errAsync, ok, type Read, ResultAsync } from '@chairside/core';
import type { Database } from 'better-sqlite3';
import type { Statements } from './statements.ts';
import { notApplied } from './writer.ts';

/** So many in a row at most: they block the event loop. */
const maxBatchReads = 256;
/** More than this are refused: they could not be answered before their callers give up. */
const maxWaiting = 10_000;

export interface ReadQueue {
  add<T>(find: () => T): Read<T>;
  /** Whether there are any that are not made yet. */
  areWaiting(): boolean;
  /** Resolves when all that wait now have their answers. */
  settled(): Promise<unknown>;
}

/**
 * Reads that are asked for in one turn of the event loop are made at its end, one after the other in
 * one transaction (D71). That spares each its locks, and requests go through the same code together,
 * which the processor's caches like far better than each on its own way.
 */
export function createReadQueue(
  db: Database,
  { beginRead, rollback }: Statements,
  on: {
    /** Whether what is read now may be relied on. */
    readonly isReadable: () => boolean;
    /** Is told of what SQLite threw, or a row that cannot be understood. */
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
    // Inside a transaction, which only a host leaves open, a read would see what may never be.
    if (db.inTransaction || !on.isReadable()) return false;
    try {
      // A statement on its own is a transaction already.
      if (reads > 1) beginRead.run();
      return true;
    } catch (error) {
      on.error(error);
      return false;
    }
  }

  function end(): void {
    try {
      if (db.inTransaction) rollback.run(); // there is nothing to commit
    } catch (error) {
      on.error(error);
    }
  }

  return { add, areWaiting: () => waiting.length > 0, settled: () => latest };
}

/** `JSON.parse` quotes the stored text that it could not read. */
function withoutValues(error: unknown): unknown {
  return error instanceof SyntaxError ? new Error('A stored text cannot be read') : error;
}
