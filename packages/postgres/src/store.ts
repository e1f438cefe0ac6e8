import { err, ok, type RateLimiter } from '@chairside/core';
import { emptyLedger, type Read, type Span, type Store } from '@chairside/core/ports';
import {
  type Cell,
  createCalls,
  toActor,
  toAppointment,
  toBarber,
  toBusiness,
  toDispute,
  toFact,
  toFinancialAccount,
  toKeptEvent,
  toKeyRecord,
  toLedger,
  toMovement,
  toNumber,
  toPayment,
  toPayout,
  toPayoutPreferences,
  toPayoutSum,
  toPendingEvent,
  toRefund,
  toReview,
  toSchedule,
  toSettlement,
  toSetup,
  toShareEntry,
  toSweptLedger,
  toTender,
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

  /** @param from makes the result of the rows. If it throws, a row is corrupt. */
  function ask<R, T>(
    name: ReadName,
    asked: readonly Cell[],
    from: (rows: readonly R[]) => T,
  ): Read<T> {
    return calls.run(async () => {
      const found = await read(name, asked);
      if (found.isErr()) return err(found.error);
      try {
        // cast: each read is used with the row type of its columns, which are defined once
        return ok(from(found.value as readonly R[]));
      } catch (error) {
        report(withoutValues(error, name));
        return err(notApplied);
      }
    });
  }

  function rows<R, T>(name: ReadName, asked: readonly Cell[], from: (row: R) => T) {
    return ask(name, asked, (found: readonly R[]): readonly T[] => found.map(from));
  }

  function row<R, T>(name: ReadName, from: (row: R) => T) {
    const first = ([found]: readonly R[]) => (found === undefined ? undefined : from(found));
    return (...asked: Cell[]) => ask(name, asked, first);
  }

  function has(name: ReadName) {
    return (...asked: Cell[]) => ask(name, asked, ({ length }) => length > 0);
  }

  /** The records with this owner, or those due by this time. */
  function list<R, T>(name: ReadName, from: (row: R) => T) {
    return (by: string | number, limit: number) => rows(name, [by, atLeastZero(limit)], from);
  }

  /** The owner's records of a span, in order of time. */
  function spans<R, T>(name: ReadName, from: (row: R) => T) {
    return (owner: string, { from: begin, until }: Span, limit: number) =>
      rows(name, [owner, begin, until, atLeastZero(limit)], from);
  }

  const getLedger = row('getLedger', toLedger);

  return {
    appointments: {
      get: row('getAppointment', toAppointment),
      getByPayment: row('getAppointmentByPayment', toAppointment),
    },
    barbers: { get: row('getBarber', toBarber) },
    businesses: {
      get: row('getBusiness', toBusiness),
      getByAppointment: row('getBusinessByAppointment', toBusiness),
    },
    ledgers: {
      get: (id) => getLedger(id).map((found = emptyLedger(id)) => found),
    },
    payments: {
      get: row('getPayment', toPayment),
      listByAppointment: (id, limit, businessId) =>
        rows(
          'listPaymentsByAppointment',
          [id, atLeastZero(limit), businessId ?? null],
          toPayment,
        ).map(reversed),
      listDue: list('listPaymentsDue', toPayment),
      listOpen: (businessId, dueBy, limit) =>
        rows('listPaymentsOpen', [businessId, dueBy, atLeastZero(limit)], toPayment),
      listCaptured: spans('listPaymentsCaptured', toPayment),
      listAll: (limit, after = '') => rows('listPayments', [after, atLeastZero(limit)], toPayment),
    },
    keys: { get: row('getKey', toKeyRecord) },
    events: {
      listDue: list('listEventsDue', toPendingEvent),
      listDead: (limit, { subject, version } = { subject: '', version: 0 }) =>
        rows('listEventsDead', [subject, version, atLeastZero(limit)], toPendingEvent),
      listKept: (limit, { keptAt, subject, version } = beginning) =>
        rows('listEventsKept', [keptAt, subject, version, atLeastZero(limit)], toKeptEvent),
    },
    processorEvents: { has: has('getProcessorEvent') },
    returned: { has: has('getReturned') },
    refunds: {
      get: row('getRefund', toRefund),
      listByPayment: list('listRefundsByPayment', toRefund),
      listDue: list('listRefundsDue', toRefund),
    },
    disputes: {
      get: row('getDispute', toDispute),
      listByPayment: list('listDisputesByPayment', toDispute),
      list: (state, limit, after = '') =>
        rows('listDisputes', [state, after, atLeastZero(limit)], toDispute),
    },
    tenders: {
      get: row('getTender', toTender),
      listByAppointment: (id, limit) =>
        rows('listTendersByAppointment', [id, atLeastZero(limit)], toTender).map(reversed),
      listByPayment: list('listTendersByPayment', toTender),
      list: spans('listTenders', toTender),
      listAll: (limit, after = '') => rows('listTendersAll', [after, atLeastZero(limit)], toTender),
    },
    shares: {
      get: row('getShare', toShareEntry),
      listByAppointment: (id, limit) =>
        rows('listSharesByAppointment', [id, atLeastZero(limit)], toShareEntry).map(reversed),
      listByPayment: list('listSharesByPayment', toShareEntry),
      list: spans('listShares', toShareEntry),
    },
    movements: {
      list: spans('listMovements', toMovement),
      listByPayment: list('listMovementsByPayment', toMovement),
    },
    settlements: {
      list: spans('listSettlements', toSettlement),
      listUnknown: spans('listSettlementsUnknown', toSettlement),
      listByPayment: list('listSettlementsByPayment', toSettlement),
      sumOfPayout: (payoutId, businessId) =>
        rows('sumOfPayout', [payoutId, businessId], toPayoutSum),
    },
    payouts: {
      get: row('getPayout', toPayout),
      list: spans('listPayouts', toPayout),
    },
    reviews: {
      get: row('getReview', toReview),
      list: (state, limit, after = '') => {
        const name = state === 'open' ? 'listReviewsOpen' : 'listReviewsResolved';
        return rows(name, [after, atLeastZero(limit)], toReview);
      },
      listOpenOf: (account, reason, limit) =>
        rows('listReviewsOf', [account, reason, atLeastZero(limit)], toReview),
    },
    setups: {
      get: row('getSetup', toSetup),
      listDue: list('listSetupsDue', toSetup),
      listByCustomer: (id, limit) =>
        rows('listSetupsByCustomer', [id, atLeastZero(limit)], toSetup).map(reversed),
    },
    sweeps: {
      get: row('getSweep', toSweptLedger),
      listStale: list('listSweeps', toSweptLedger),
    },
    facts: { get: row('getFact', toFact) },
    financialAccounts: { get: row('getFinancialAccount', toFinancialAccount) },
    schedules: { get: row('getSchedule', toSchedule) },
    payoutPreferences: { get: row('getPayoutPreferences', toPayoutPreferences) },
    actors: {
      get: row('getActor', toActor),
      getBySubject: row('getActorBySubject', toActor),
    },
    terminals: {
      get: row('getTerminal', toTerminal),
      getByDeviceIdentifier: row('getTerminalByDevice', toTerminal),
      listByBarber: (id, limit) =>
        rows('listTerminalsByBarber', [id, atLeastZero(limit)], toTerminal).map(reversed),
      listAll: (limit, after = '') =>
        rows('listTerminals', [after, atLeastZero(limit)], toTerminal),
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

const beginning = { keptAt: Number.MIN_SAFE_INTEGER, subject: '', version: 0 };

/** PostgreSQL rejects a negative limit. */
function atLeastZero(limit: number): number {
  return Math.max(0, limit);
}

function reversed<T>(found: readonly T[]): readonly T[] {
  return [...found].reverse();
}
