import {
  type Commit,
  emptyLedger,
  err,
  errAsync,
  ok,
  type RateLimiter,
  type Read,
  Result,
  ResultAsync,
  type Store,
  type StoreUnavailable,
} from '@chairside/core';
import type { Pool } from 'pg';
import type { Cell } from './cell.ts';
import { commitUntilCertain, notApplied, wasCommitted } from './committer.ts';
import { createLanes } from './lanes.ts';
import { toPayment } from './payment-row.ts';
import { withoutValues } from './postgres-error.ts';
import { createRateLimiter } from './rate-limiter.ts';
import { createReader } from './reader.ts';
import type { Patience } from './retry.ts';
import {
  toAppointment,
  toBarber,
  toBusiness,
  toFinancialAccount,
  toKeyRecord,
  toLedger,
  toPayoutPreferences,
  toPendingEvent,
  toReview,
  toSchedule,
  toSetup,
  toSweptAccount,
  toTerminal,
  toTime,
} from './rows.ts';
import type { StatementName, Statements } from './statements.ts';
import { type Outcome, write } from './writer.ts';

/** So many are remembered, far more than calls can be under way. */
const maxDoubtful = 20_000;

/** The store, and what else counts for all nodes together. */
export interface PostgresStore extends Store {
  /** For `createChairside({ store, rateLimiter: store.rateLimiter, … })`. */
  readonly rateLimiter: RateLimiter;
}

interface Options extends Patience {
  /** Whether `close()` ends it. */
  readonly ownsPool: boolean;
  readonly report: (error: unknown) => void;
}

/** Puts the parts together over a schema that is up to date. */
export function createStore(pool: Pool, statements: Statements, options: Options): PostgresStore {
  const { report, deadlineMs } = options;
  const reader = createReader(pool, statements, options, report);
  // PostgreSQL shares one flush of its log among commits of different connections.
  const writeOnce = createLanes<Commit, Outcome>(pool, deadlineMs, {
    maxLanes: Math.max(1, pool.options.max),
    carryOut: (client, health, commit) => write(client, health, statements, commit),
    refused: (error, refusal) => ({ kind: 'notApplied', error, ...refusal }),
  });
  const rateLimiter = createRateLimiter(pool, statements, deadlineMs, report);
  const running = new Set<Promise<unknown>>();
  let closing: Promise<void> | undefined;

  /** Lets `close()` wait for it. */
  function track<T>(call: Promise<T>): Promise<T> {
    const tracked = call.finally(() => running.delete(tracked));
    running.add(tracked);
    return tracked;
  }

  /** Commits that may yet be written: they are under way, or their last answer was lost. */
  const doubtful = new Set<string>();

  async function commit(commit: Commit) {
    // A host without types may pass anything.
    if (!Array.isArray(commit?.changes)) {
      report(new TypeError('commit: has no list of changes'));
      return err(notApplied);
    }
    const wasDoubtful = doubtful.has(commit.id);
    doubtful.add(commit.id);
    const written = await commitUntilCertain(
      writeOnce,
      reader,
      options,
      report,
      commit,
      wasDoubtful,
    );
    const isLost =
      written.isErr() && 'outcome' in written.error && written.error.outcome === 'unknown';
    if (!isLost) doubtful.delete(commit.id);
    const [oldest] = doubtful;
    if (oldest !== undefined && doubtful.size > maxDoubtful) doubtful.delete(oldest);
    return written;
  }

  async function isWritten(id: string): Promise<Result<boolean, StoreUnavailable>> {
    const wasDoubtful = doubtful.has(id);
    const found = await wasCommitted(reader, id);
    // A server that has not read it yet, or not ended it, may still do so.
    return found.isOk() && !found.value && wasDoubtful ? err(notApplied) : found;
  }

  function rows<R, T>(
    statement: StatementName,
    cells: readonly Cell[],
    from: (row: R) => T,
  ): Read<readonly T[]> {
    if (closing !== undefined) return errAsync(notApplied);
    const read = Result.fromThrowable(
      // cast: each statement is used with the row type of its columns, which are written once
      (found: readonly unknown[]) => (found as readonly R[]).map(from),
      (error) => {
        report(withoutValues(error, statement));
        return notApplied;
      },
    );
    return new ResultAsync(track(reader.read(statement, cells))).andThen((result) =>
      read(result.rows),
    );
  }

  function row<R, T>(
    statement: StatementName,
    cells: readonly Cell[],
    from: (row: R) => T,
  ): Read<T | undefined> {
    return rows(statement, cells, from).map(([first]) => first);
  }

  return {
    appointments: { get: (id) => row('getAppointment', [id], toAppointment) },
    barbers: { get: (id) => row('getBarber', [id], toBarber) },
    businesses: { get: (id) => row('getBusiness', [id], toBusiness) },
    ledgers: {
      get: (id) => row('getLedger', [id], toLedger).map((found) => found ?? emptyLedger(id)),
    },
    payments: {
      get: (id) => row('getPayment', [id], toPayment),
      listByAppointment: (id, limit, businessId) =>
        rows(
          'listPaymentsByAppointment',
          [id, atLeastZero(limit), businessId ?? null],
          toPayment,
        ).map(reversed),
      listDue: (now, limit) => rows('listPaymentsDue', [now, atLeastZero(limit)], toPayment),
    },
    keys: { get: (subject, key) => row('getKey', [subject, key], toKeyRecord) },
    events: {
      listDue: (now, limit) => rows('listEventsDue', [now, atLeastZero(limit)], toPendingEvent),
      listDead: (limit, { subject, version } = { subject: '', version: 0 }) =>
        rows('listEventsDead', [subject, version, atLeastZero(limit)], toPendingEvent),
    },
    processorEvents: {
      has: (id) => rows('getProcessorEvent', [id], () => true).map(({ length }) => length > 0),
    },
    moneyBacks: {
      has: (account, kind, id) =>
        rows('getMoneyBack', [account, kind, id], () => true).map(({ length }) => length > 0),
    },
    reviews: {
      get: (id) => row('getReview', [id], toReview),
      list: (state, limit, after = '') => {
        const statement = state === 'open' ? 'listReviewsOpen' : 'listReviewsResolved';
        return rows(statement, [after, atLeastZero(limit)], toReview);
      },
    },
    setups: {
      get: (id) => row('getSetup', [id], toSetup),
      listDue: (now, limit) => rows('listSetupsDue', [now, atLeastZero(limit)], toSetup),
      listByCustomer: (id, limit) =>
        rows('listSetupsByCustomer', [id, atLeastZero(limit)], toSetup).map(reversed),
    },
    sweeps: {
      listStale: (sweptBefore, limit) =>
        rows('listSweeps', [sweptBefore, atLeastZero(limit)], toSweptAccount),
    },
    financialAccounts: { get: (id) => row('getFinancialAccount', [id], toFinancialAccount) },
    schedules: { get: (id) => row('getSchedule', [id], toSchedule) },
    payoutPreferences: { get: (id) => row('getPayoutPreferences', [id], toPayoutPreferences) },
    terminals: {
      get: (id) => row('getTerminal', [id], toTerminal),
      getByDeviceIdentifier: (device) => row('getTerminalByDevice', [device], toTerminal),
      listByBarber: (id, limit) =>
        rows('listTerminalsByBarber', [id, atLeastZero(limit)], toTerminal).map(reversed),
    },

    now: () =>
      row('getTime', [], toTime).andThen((now) => (now === undefined ? err(notApplied) : ok(now))),

    commit: (changes) =>
      closing === undefined ? new ResultAsync(track(commit(changes))) : errAsync(notApplied),

    wasCommitted: (id) =>
      closing === undefined ? new ResultAsync(track(isWritten(id))) : errAsync(notApplied),

    rateLimiter,

    close: () => {
      closing ??= Promise.all(running)
        .then(() => (options.ownsPool ? pool.end() : undefined))
        .catch(report);
      return closing;
    },
  };
}

/** PostgreSQL refuses a negative limit. */
function atLeastZero(limit: number): number {
  return Math.max(0, limit);
}

function reversed<T>(found: readonly T[]): readonly T[] {
  return [...found].reverse();
}
