import type { Result } from '@chairside/core';
import { err, errAsync, ok, ResultAsync } from '@chairside/core';
import type { Commit, CommitError, Store, StoreUnavailable } from '@chairside/core/ports';
import type { StoreUnderTest } from '../../src/contracts.ts';
import { createMapDatabase } from '../../src/store/map/database.ts';
import { connectTo } from '../../src/store/map/map-store.ts';
import { snapshotOf } from '../../src/store/map/tables.ts';
import type { WrongStore } from './wrong-store.ts';

const unavailable = (outcome: StoreUnavailable['outcome']): StoreUnavailable => ({
  kind: 'storeUnavailable',
  outcome,
});

interface OverADisk {
  /** The response for a commit whose flush failed. */
  readonly failed?: 'notApplied' | 'ok';
  /** It goes on after a failed flush. */
  readonly goesOn?: boolean;
  /** It answers without a flush. */
  readonly flushes?: false;
}

/** A store whose records end with the process, if they are not flushed. */
export function overADisk(how: OverADisk = {}): () => StoreUnderTest {
  return () => {
    const database = createMapDatabase();
    let failing: { readonly isKept: boolean } | undefined;
    let lost: ReturnType<typeof snapshotOf> | undefined;
    let hasFailed = false;

    function flush(): boolean {
      if (how.flushes === false || failing === undefined) return true;
      if (!failing.isKept) lost ??= before;
      hasStruck = true;
      failing = undefined;
      return false;
    }

    let hasStruck = false;
    let before = snapshotOf(database.tables);
    const inner = connectTo(database);
    let isClosed = false;
    const mayGoOn = () => !isClosed && (how.goesOn === true || !hasFailed);

    function commit(given: Commit): Result<void, CommitError> {
      if (!mayGoOn()) return err(unavailable('notApplied'));
      before = failing === undefined ? before : snapshotOf(database.tables);
      const answer = database.write(given);
      if (flush() || answer.isErr()) return answer;
      hasFailed = true;
      if (how.failed === 'ok') return ok();
      return err(unavailable(how.failed ?? 'unknown'));
    }

    const store: Store = {
      ...inner,
      payments: {
        ...inner.payments,
        get: (id) => (mayGoOn() ? inner.payments.get(id) : errAsync(unavailable('notApplied'))),
      },
      commit: (given) => new ResultAsync(Promise.resolve(commit(given))),
      wasCommitted: (id) =>
        mayGoOn() ? inner.wasCommitted(id) : errAsync(unavailable('notApplied')),
      close: () => {
        isClosed = true;
        return inner.close();
      },
    };
    return {
      store,
      failFlush: async (isKept) => {
        failing = { isKept };
        hasStruck = false;
        return async () => {
          failing = undefined;
          return hasStruck;
        };
      },
      reopen: async () => connectTo(createMapDatabase(lost ?? snapshotOf(database.tables))),
    };
  };
}

const keptByDisk = 'says what is true of commits whose flush it has kept';

export const storesThatFlushWrongly: readonly WrongStore[] = [
  {
    fault: 'answers without a flush',
    caughtBy: [keptByDisk, 'says what is true of commits whose flush it has lost'],
    open: overADisk({ flushes: false }),
  },
];
