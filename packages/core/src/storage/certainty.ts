import { err, ok, type Result } from '../domain/result.ts';
import type { CommitError, StoreUnavailable } from '../ports/store.ts';
import { type CommitOutcome, type SearchOutcome, storeUnavailable } from './outcome.ts';
import type { Again } from './retry.ts';

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
