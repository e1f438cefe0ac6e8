import type { ChangeKind, CommitError, Read, StoreUnavailable } from '../ports/store.ts';
import { err, errAsync, ok, type Result, ResultAsync } from '../values/result.ts';

/** The calls of one store. They never throw, and `close` waits for those that run. */
export interface Calls {
  /** Makes a read. A thrown error or a rejection is reported and becomes `storeUnavailable`. */
  read<T>(find: () => T | Promise<T>): Read<T>;
  /** Makes a call that returns its own error. If it throws, the outcome is `unknown`. */
  run<T, E>(call: () => Promise<Result<T, E>>): ResultAsync<T, E | StoreUnavailable>;
  /** Refuses later calls, waits for the running ones, and then releases. A repeated call waits too. */
  close(letGo: () => void | Promise<void>): Promise<void>;
}

/** @param report must not throw. */
export function createCalls(report: (error: unknown) => void): Calls {
  // Only a count: a `Set` with many insertions and deletions keeps old entries until a full garbage collection.
  let running = 0;
  let closing: Promise<void> | undefined;
  let allEnded = () => {};

  async function attempt<T, E>(
    call: () => Promise<Result<T, E>>,
    outcome: StoreUnavailable['outcome'],
  ): Promise<Result<T, E | StoreUnavailable>> {
    running += 1;
    try {
      return await call();
    } catch (error) {
      report(error);
      return err(storeUnavailable(outcome, error));
    } finally {
      running -= 1;
      if (running === 0) allEnded();
    }
  }

  return {
    read(find) {
      if (closing !== undefined) return errAsync(storeUnavailable('notApplied'));
      return new ResultAsync(attempt(async () => ok(await find()), 'notApplied'));
    },
    run(call) {
      if (closing !== undefined) return errAsync(storeUnavailable('notApplied'));
      return new ResultAsync(attempt(call, 'unknown'));
    },
    close(letGo) {
      closing ??= new Promise<void>((resolve) => {
        allEnded = resolve;
        if (running === 0) resolve();
      })
        .then(letGo)
        .catch(report);
      return closing;
    },
  };
}

/** So many uncertain ids are remembered, far more than calls can be under way. */
const maxDoubtful = 20_000;

export type Committed = Result<void, CommitError>;

/** Tries until the outcome is certain, and claims no more than was proven. */
export interface Certainty {
  commit(id: string, attempt: () => Promise<CommitOutcome>): Promise<Committed>;
  /** @param ask finds the id, or records it as denied */
  wasCommitted(
    id: string,
    ask: () => Promise<SearchOutcome>,
  ): Promise<Result<boolean, StoreUnavailable>>;
}

interface CommitUnderWay {
  readonly id: string;
  place: number;
  /** Calls of `wasCommitted` wait for it. */
  waiting: PromiseWithResolvers<void> | undefined;
}

/**
 * @param again begins the tries of one call.
 * @param report receives what an attempt failed with; it must not throw.
 */
export function createCertainty(again: () => Again, report: (error: unknown) => void): Certainty {
  /** Ids of commits that may yet be written: the last reply to them was lost. */
  const doubtful = new Set<string>();
  /** In no order. Only `wasCommitted` looks for an id, and it is rare. */
  const underWay: CommitUnderWay[] = [];

  function begin(id: string): CommitUnderWay {
    const commit = { id, place: underWay.length, waiting: undefined };
    underWay.push(commit);
    return commit;
  }

  function end({ place, waiting }: CommitUnderWay): void {
    const last = underWay.pop();
    if (last !== undefined && last.place !== place) {
      last.place = place;
      underWay[place] = last;
    }
    waiting?.resolve();
  }

  async function endOf(id: string): Promise<void> {
    for (;;) {
      const commit = underWay.find((other) => other.id === id);
      if (commit === undefined) return;
      commit.waiting ??= Promise.withResolvers<void>();
      await commit.waiting.promise;
    }
  }

  function doubt(id: string): void {
    doubtful.add(id);
    const [oldest] = doubtful;
    if (oldest !== undefined && doubtful.size > maxDoubtful) doubtful.delete(oldest);
  }

  /**
   * After a lost reply, only "written" is certain. The server may still read the attempt that got no
   * reply, and apply it. So a conflict of a later attempt does not prove that the commit failed.
   */
  async function untilCertain(
    id: string,
    attempt: () => Promise<CommitOutcome>,
  ): Promise<Committed> {
    const mayTryAgain = again();
    let cause: unknown;
    do {
      const outcome = await attempt();
      switch (outcome.kind) {
        case 'written':
          doubtful.delete(id);
          return ok();
        case 'denied':
          doubtful.delete(id);
          return err(storeUnavailable('notApplied', cause));
        case 'conflict':
          return err(
            doubtful.has(id)
              ? storeUnavailable('unknown', cause)
              : { kind: 'storeConflict', change: outcome.change },
          );
        case 'notApplied':
          cause = outcome.error;
          report(cause);
          if (outcome.mayRetry) break;
          return err(storeUnavailable(doubtful.has(id) ? 'unknown' : 'notApplied', cause));
        case 'unknown':
          cause = outcome.error;
          report(cause);
          doubt(id);
      }
    } while (await mayTryAgain());
    return err(storeUnavailable(doubtful.has(id) ? 'unknown' : 'notApplied', cause));
  }

  return {
    async commit(id, attempt) {
      const commit = begin(id);
      try {
        return await untilCertain(id, attempt);
      } finally {
        end(commit);
      }
    },

    async wasCommitted(id, ask) {
      await endOf(id);
      const mayTryAgain = again();
      let cause: unknown;
      do {
        const outcome = await ask();
        if (outcome.kind !== 'unavailable') {
          doubtful.delete(id);
          return ok(outcome.kind === 'found');
        }
        cause = outcome.error;
        report(cause);
        if (!outcome.mayRetry) break;
      } while (await mayTryAgain());
      return err(storeUnavailable('notApplied', cause));
    },
  };
}

/** The proof that one attempt at a commit gives. */
export type CommitOutcome =
  /** The commit is written and durable: by this attempt, or by an earlier attempt under the same id. */
  | { readonly kind: 'written' }
  /** The condition of this change failed. No change was written. */
  | { readonly kind: 'conflict'; readonly change: ChangeKind }
  /** No change was or will be written. `mayRetry`: the same attempt may succeed later. */
  | { readonly kind: 'notApplied'; readonly mayRetry: boolean; readonly error: unknown }
  /** `wasCommitted` denied this id before, so no attempt under it was or will be applied. */
  | { readonly kind: 'denied' }
  /** It may have been written, or may still be: the reply to COMMIT was lost, or COMMIT failed. */
  | { readonly kind: 'unknown'; readonly error: unknown };

/** The result of one question about the id of a commit. */
export type SearchOutcome =
  /** The commit is there, durably. */
  | { readonly kind: 'found' }
  /** The id is recorded as denied, durably: no attempt under it will be applied. */
  | { readonly kind: 'denied' }
  | { readonly kind: 'unavailable'; readonly mayRetry: boolean; readonly error: unknown };

function storeUnavailable(outcome: StoreUnavailable['outcome'], cause?: unknown): StoreUnavailable {
  return { kind: 'storeUnavailable', outcome, ...(cause !== undefined && { cause }) };
}

/** Says whether to try again, after a pause. */
export type Again = () => Promise<boolean>;

const firstPauseMs = 5;
const longestPauseMs = 500;

/**
 * Tries a bounded number of times. The pause doubles and differs from caller to caller, so that
 * transactions that met do not meet again.
 * @param wait resolves after so many milliseconds: `setTimeout` of `node:timers/promises`.
 */
export function createRetries(
  maxAttempts: number,
  wait: (ms: number) => Promise<unknown>,
): () => Again {
  return () => {
    let attempts = 1;
    return async () => {
      if (attempts >= maxAttempts) return false;
      const pauseMs = Math.min(firstPauseMs * 2 ** attempts, longestPauseMs);
      attempts += 1;
      await wait(pauseMs * (0.5 + Math.random() / 2));
      return true;
    };
  };
}
