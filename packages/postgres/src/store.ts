import {
  emptyLedger,
  err,
  ok,
  type RateLimiter,
  type Read,
  Result,
  type Span,
  type Store,
} from '@chairside/core';
import {
  type Cell,
  createCalls,
  toAppointment,
  toBarber,
  toBusiness,
  toDispute,
  toFinancialAccount,
  toKeyRecord,
  toLedger,
  toMovement,
  toNumber,
  toPayment,
  toPayout,
  toPayoutPreferences,
  toPendingEvent,
  toRefund,
  toReview,
  toSchedule,
  toSettlement,
  toSetup,
  toSweptLedger,
  toTerminal,
} from '@chairside/core/storage';
import type { Pool } from 'pg';
import { createCommitter, notApplied } from './committer.ts';
import type { ReadName } from './functions/read.ts';
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

  function rows<R, T>(
    name: ReadName,
    asked: readonly Cell[],
    from: (row: R) => T,
  ): Read<readonly T[]> {
    const decode = Result.fromThrowable(
      // cast: each read is used with the row type of its columns, which are defined once
      (found: readonly unknown[]) => (found as readonly R[]).map(from),
      (error) => {
        report(withoutValues(error, name));
        return notApplied;
      },
    );
    return calls.run(() => read(name, asked)).andThen(decode);
  }

  function row<R, T>(
    name: ReadName,
    asked: readonly Cell[],
    from: (row: R) => T,
  ): Read<T | undefined> {
    return rows(name, asked, from).map(([first]) => first);
  }

  /** The owner's records of a span, in order of time. */
  function spans<R, T>(name: ReadName, from: (row: R) => T) {
    return (owner: string, { from: begin, until }: Span, limit: number) =>
      rows(name, [owner, begin, until, atLeastZero(limit)], from);
  }

  return {
    appointments: {
      get: (id) => row('getAppointment', [id], toAppointment),
      getByPayment: (id) => row('getAppointmentByPayment', [id], toAppointment),
    },
    barbers: { get: (id) => row('getBarber', [id], toBarber) },
    businesses: {
      get: (id) => row('getBusiness', [id], toBusiness),
      getByAppointment: (id) => row('getBusinessByAppointment', [id], toBusiness),
    },
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
      listCaptured: spans('listPaymentsCaptured', toPayment),
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
    returned: {
      has: (account, kind, id) =>
        rows('getReturned', [account, kind, id], () => true).map(({ length }) => length > 0),
    },
    refunds: {
      get: (id) => row('getRefund', [id], toRefund),
      listByPayment: (id, limit) =>
        rows('listRefundsByPayment', [id, atLeastZero(limit)], toRefund),
      listDue: (now, limit) => rows('listRefundsDue', [now, atLeastZero(limit)], toRefund),
    },
    disputes: {
      get: (id) => row('getDispute', [id], toDispute),
      listByPayment: (id, limit) =>
        rows('listDisputesByPayment', [id, atLeastZero(limit)], toDispute),
      list: (state, limit, after = '') =>
        rows('listDisputes', [state, after, atLeastZero(limit)], toDispute),
    },
    movements: {
      list: spans('listMovements', toMovement),
      listByPayment: (id, limit) =>
        rows('listMovementsByPayment', [id, atLeastZero(limit)], toMovement),
    },
    settlements: {
      list: spans('listSettlements', toSettlement),
      listUnknown: spans('listSettlementsUnknown', toSettlement),
      listByPayment: (id, limit) =>
        rows('listSettlementsByPayment', [id, atLeastZero(limit)], toSettlement),
    },
    payouts: {
      get: (id) => row('getPayout', [id], toPayout),
      list: spans('listPayouts', toPayout),
    },
    reviews: {
      get: (id) => row('getReview', [id], toReview),
      list: (state, limit, after = '') => {
        const name = state === 'open' ? 'listReviewsOpen' : 'listReviewsResolved';
        return rows(name, [after, atLeastZero(limit)], toReview);
      },
      listOpenOf: (account, reason, limit) =>
        rows('listReviewsOf', [account, reason, atLeastZero(limit)], toReview),
    },
    setups: {
      get: (id) => row('getSetup', [id], toSetup),
      listDue: (now, limit) => rows('listSetupsDue', [now, atLeastZero(limit)], toSetup),
      listByCustomer: (id, limit) =>
        rows('listSetupsByCustomer', [id, atLeastZero(limit)], toSetup).map(reversed),
    },
    sweeps: {
      get: (ledger) => row('getSweep', [ledger], toSweptLedger),
      listStale: (sweptBefore, limit) =>
        rows('listSweeps', [sweptBefore, atLeastZero(limit)], toSweptLedger),
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
      row('getTime', [], ({ now }: { readonly now: number }) => toNumber(now)).andThen((now) =>
        now === undefined ? err(notApplied) : ok(now),
      ),

    commit: (commit) => calls.run(() => committer.commit(commit)),
    wasCommitted: (id) => calls.run(() => committer.wasCommitted(id)),
    rateLimiter,

    close: () => calls.close(() => (options.ownsPool ? pool.end() : undefined)),
  };
}

/** PostgreSQL rejects a negative limit. */
function atLeastZero(limit: number): number {
  return Math.max(0, limit);
}

function reversed<T>(found: readonly T[]): readonly T[] {
  return [...found].reverse();
}
