import { err, ok, type RateLimiter } from '@chairside/core';
import { emptyLedger, type Read, type Store } from '@chairside/core/ports';
import {
  type Cell,
  commonReads,
  createCalls,
  toLedger,
  toNumber,
  toPayoutSum,
} from '@chairside/core/storage';
import type { Pool } from 'pg';
import { createCommitter, notApplied } from './committer.ts';
import { createFinders } from './finders.ts';
import { withoutValues } from './postgres-error.ts';
import { createRateLimiter } from './rate-limiter.ts';
import { createReader } from './reader.ts';
import type { Patience } from './retry.ts';

/** The store, with the rate limiter that all nodes share. */
export interface PostgresStore extends Store {
  /** For `createChairside({ store, rateLimiter: store.rateLimiter, … })`. */
  readonly rateLimiter: RateLimiter;
}

interface Options extends Patience {
  /** Whether `close()` ends it. */
  readonly ownsPool: boolean;
  readonly report: (error: unknown) => void;
}

/** Builds the store over a schema that is up to date. */
export function createStore(pool: Pool, schema: string, options: Options): PostgresStore {
  const { report, deadlineMs } = options;
  const read = createReader(pool, schema, options, report);
  const committer = createCommitter(pool, schema, options, report);
  const rateLimiter = createRateLimiter(pool, schema, deadlineMs, report);
  const calls = createCalls(report);

  function ask<Row, T>(
    name: string,
    asked: readonly Cell[],
    from: (rows: readonly Row[]) => T,
  ): Read<T> {
    return calls.run(async () => {
      const found = await read(name, asked);
      if (found.isErr()) return err(found.error);
      try {
        // cast: each read is used with the row type of its columns, which are defined once
        return ok(from(found.value as readonly Row[]));
      } catch (error) {
        const cause = withoutValues(error, name);
        report(cause);
        return err({ ...notApplied, cause });
      }
    });
  }

  const rows = <Row, T>(name: string, asked: readonly Cell[], from: (row: Row) => T) =>
    ask(name, asked, (found: readonly Row[]) => found.map(from));

  const common = commonReads(createFinders(ask, report));

  return {
    ...common,
    ledgers: {
      get: (id) =>
        ask('getLedger', [id], ([row]: readonly Parameters<typeof toLedger>[0][]) =>
          row === undefined ? emptyLedger(id) : toLedger(row),
        ),
    },
    settlements: {
      ...common.settlements,
      sumOfPayout: (payoutId, businessId) =>
        rows('sumOfPayout', [payoutId, businessId], toPayoutSum),
    },

    now: () =>
      rows('getTime', [], ({ now }: { readonly now: number }) => toNumber(now)).andThen(([now]) =>
        now === undefined ? err(notApplied) : ok(now),
      ),

    commit: (commit) => calls.run(() => committer.commit(commit)),
    wasCommitted: (id) => calls.run(() => committer.wasCommitted(id)),
    rateLimiter,

    close: () => calls.close(() => (options.ownsPool ? pool.end() : undefined)),
  };
}
