import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { err, errAsync, ResultAsync } from '@chairside/core';
import type { Commit, StoreConflict, StoreUnavailable } from '@chairside/core/ports';
import { busyPauseMs } from './fault.ts';
import { type Answer, type Entry, notApplied, unknown, type Writer } from './writer.ts';

/** The maximum of commits in one transaction, because writing it blocks the event loop. */
const maxBatchCommits = 256;
const maxBatchChanges = 1024;
/** Commits beyond this are refused: they could not be written before their callers give up. */
const maxWaiting = 10_000;
/** The number of reads before the write of the longest use case. */
const maxReadingTurns = 4;

const lockedOut =
  'Another connection held the write lock of the database for too long: commits were not applied';

interface Waiting {
  readonly commit: Entry;
  /** The number of changes when the commit was added. Later changes to the list have no effect. */
  readonly changes: number;
  readonly resolve: (answer: Answer) => void;
}

export interface CommitQueue {
  add(commit: Commit): ResultAsync<void, StoreConflict | StoreUnavailable>;
  /** Denies the commit with this id, unless it is written. The commits before it come first. */
  deny(id: string): ResultAsync<void, StoreConflict | StoreUnavailable>;
  /** Resolves when all waiting commits have their results. */
  settled(): Promise<unknown>;
}

/**
 * Group commit: all commits of one turn of the event loop share one transaction and one fsync, the
 * most expensive part of a durable write. While other requests still read, it waits a few turns for
 * their writes too (D71). The order is kept. A single commit never waits.
 */
export function createCommitQueue(
  writer: Pick<Writer, 'write'>,
  maxBusyAttempts: number,
  areOthersReading: () => boolean,
  onError: (error: unknown) => void,
): CommitQueue {
  const waiting: Waiting[] = [];
  let isDraining = false;
  let latest: Promise<unknown> = Promise.resolve();

  function add(commit: Commit): ResultAsync<void, StoreConflict | StoreUnavailable> {
    // Hosts without types may pass any value, which would block the others in the queue.
    if (!Array.isArray(commit?.changes)) {
      onError(new TypeError('commit: has no list of changes'));
      return errAsync(notApplied);
    }
    return push(commit, commit.changes.length);
  }

  function push(
    commit: Entry,
    changes: number,
  ): ResultAsync<void, StoreConflict | StoreUnavailable> {
    if (waiting.length >= maxWaiting) return errAsync(notApplied);
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
        await delay(busyPauseMs(busyAttempts));
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

  /** Never throws, so that every commit of the batch gets a result and the queue continues. */
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

  return { add, deny: (id) => push({ denied: id }, 1), settled: () => latest };
}

/** The number of commits for the next transaction: at least one. */
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
