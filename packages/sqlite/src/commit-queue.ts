import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import {
  type Commit,
  err,
  errAsync,
  ResultAsync,
  type StoreConflict,
  type StoreUnavailable,
} from '@chairside/core';
import { type Answer, notApplied, unknown, type Writer } from './writer.ts';

/** What one transaction takes at most: it blocks the event loop while it is written. */
const maxBatchCommits = 256;
const maxBatchChanges = 1024;
/** More than this are refused: they could not be written before their callers give up. */
const maxWaiting = 10_000;
/** As many as the longest use case needs to read before it writes. */
const maxReadingTurns = 4;
const maxBusyDelayMs = 50;

const lockedOut =
  'Another connection held the write lock of the database for too long: commits were not applied';

interface Waiting {
  readonly commit: Commit;
  /** How many there were when it was added: what a host makes of the list since stops nobody. */
  readonly changes: number;
  readonly resolve: (answer: Answer) => void;
}

export interface CommitQueue {
  add(commit: Commit): ResultAsync<void, StoreConflict | StoreUnavailable>;
  /** Resolves when all that wait now have their answers. */
  settled(): Promise<unknown>;
}

/**
 * Group commit: what was added in one turn of the event loop is written in one transaction, and so
 * shares one fsync, the dearest part of a durable write. While other requests still read, which most
 * do to write in the end, it waits for them, too, a few turns at most (D72). Order is kept. A single
 * commit waits for nobody.
 */
export function createCommitQueue(
  writer: Writer,
  maxBusyAttempts: number,
  areOthersReading: () => boolean,
  onError: (error: unknown) => void,
): CommitQueue {
  const waiting: Waiting[] = [];
  let isDraining = false;
  let latest: Promise<unknown> = Promise.resolve();

  function add(commit: Commit): ResultAsync<void, StoreConflict | StoreUnavailable> {
    if (waiting.length >= maxWaiting) return errAsync(notApplied);
    // A host without types may pass anything; in the queue it would stop the others.
    if (!Array.isArray(commit?.changes)) {
      onError(new TypeError('commit: has no list of changes'));
      return errAsync(notApplied);
    }
    const changes = commit.changes.length;
    const answer = new Promise<Answer>((resolve) => waiting.push({ commit, changes, resolve }));
    latest = answer;
    if (!isDraining) void drain();
    return new ResultAsync(answer);
  }

  async function drain(): Promise<void> {
    isDraining = true;
    let busyAttempts = 0;
    while (waiting.length > 0) {
      await nextTurn();
      await othersToRead();
      const size = batchSize(waiting);
      const batch = waiting.slice(0, size);
      const written = write(batch);
      if (written === 'busy' && ++busyAttempts < maxBusyAttempts) {
        await delay(Math.min(2 ** busyAttempts, maxBusyDelayMs));
        continue;
      }
      if (written === 'busy') onError(new Error(lockedOut));
      busyAttempts = 0;
      waiting.splice(0, size);
      for (const [index, { resolve }] of batch.entries()) {
        const answer = written === 'busy' ? undefined : written[index];
        resolve(answer ?? err(notApplied));
      }
    }
    isDraining = false;
  }

  /** Whatever happens, the batch has its answers, and those behind it their turn. */
  function write(batch: readonly Waiting[]): readonly Answer[] | 'busy' {
    try {
      return writer.write(batch.map(({ commit }) => commit));
    } catch (error) {
      onError(error);
      return batch.map(() => err(unknown));
    }
  }

  async function othersToRead(): Promise<void> {
    for (let turns = 0; turns < maxReadingTurns; turns += 1) {
      if (waiting.length >= maxBatchCommits || !areOthersReading()) return;
      await nextTurn();
    }
  }

  return { add, settled: () => latest };
}

/** How many of those in front go into one transaction: at least one. */
function batchSize(waiting: readonly Waiting[]): number {
  let total = 0;
  let size = 0;
  for (const { changes } of waiting) {
    total += changes;
    if (size > 0 && (size >= maxBatchCommits || total > maxBatchChanges)) break;
    size += 1;
  }
  return size;
}
