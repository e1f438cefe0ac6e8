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

/**
 * @param again begins the tries of one call.
 * @param report receives what an attempt failed with; it must not throw.
 */
export function createCertainty(again: () => Again, report: (error: unknown) => void): Certainty {
  /** Ids of commits that may yet be written: the last reply to them was lost. */
  const doubtful = new Set<string>();
  /** How often each id is being committed now, and what waits for the end of that. */
  const underWay = new Map<string, { count: number; readonly ended: PromiseWithResolvers<void> }>();

  function begin(id: string): void {
    const running = underWay.get(id) ?? { count: 0, ended: Promise.withResolvers<void>() };
    running.count += 1;
    underWay.set(id, running);
  }

  function end(id: string): void {
    const running = underWay.get(id);
    if (running === undefined) return;
    running.count -= 1;
    if (running.count > 0) return;
    underWay.delete(id);
    running.ended.resolve();
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
      begin(id);
      try {
        return await untilCertain(id, attempt);
      } finally {
        end(id);
      }
    },

    async wasCommitted(id, ask) {
      await underWay.get(id)?.ended.promise;
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
