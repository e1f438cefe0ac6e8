import { err, ok, type RateLimiter } from '@chairside/core';
import { emptyLedger, type Read, type Span, type Store } from '@chairside/core/ports';
import {
  type Cell,
  createCalls,
  decoderOf,
  toKeptEvent,
  toLedger,
  toNumber,
  toPayoutSum,
  toPendingEvent,
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

  function row<R, T>(name: ReadName, record: (row: R) => T) {
    const first = ([found]: readonly R[]) => (found === undefined ? undefined : record(found));
    return (...asked: Cell[]) => ask(name, asked, first);
  }

  function has(name: ReadName) {
    return (...asked: Cell[]) => ask(name, asked, ({ length }) => length > 0);
  }

  /** The records with this owner, or those due by this time. */
  function list<R, T>(name: ReadName, record: (row: R) => T) {
    return (by: string | number, limit: number) => rows(name, [by, atLeastZero(limit)], record);
  }

  /** The owner's records of a span, in order of time. */
  function spans<R, T>(name: ReadName, record: (row: R) => T) {
    return (owner: string, { from, until }: Span, limit: number) =>
      rows(name, [owner, from, until, atLeastZero(limit)], record);
  }

  const getLedger = row('getLedger', toLedger);

  return {
    appointments: {
      get: row('getAppointment', decoderOf('appointments')),
      getByPayment: row('getAppointmentByPayment', decoderOf('appointments')),
    },
    barbers: { get: row('getBarber', decoderOf('barbers')) },
    businesses: {
      get: row('getBusiness', decoderOf('businesses')),
      getByAppointment: row('getBusinessByAppointment', decoderOf('businesses')),
    },
    ledgers: {
      get: (id) => getLedger(id).map((found = emptyLedger(id)) => found),
    },
    payments: {
      get: row('getPayment', decoderOf('payments')),
      listByAppointment: (id, limit, businessId) =>
        rows(
          'listPaymentsByAppointment',
          [id, atLeastZero(limit), businessId ?? null],
          decoderOf('payments'),
        ).map(reversed),
      listDue: list('listPaymentsDue', decoderOf('payments')),
      listOpen: (businessId, dueBy, limit) =>
        rows('listPaymentsOpen', [businessId, dueBy, atLeastZero(limit)], decoderOf('payments')),
      listCaptured: spans('listPaymentsCaptured', decoderOf('payments')),
      listAll: (limit, after = '') =>
        rows('listPayments', [after, atLeastZero(limit)], decoderOf('payments')),
    },
    keys: { get: row('getKey', decoderOf('keys')) },
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
      get: row('getRefund', decoderOf('refunds')),
      listByPayment: list('listRefundsByPayment', decoderOf('refunds')),
      listDue: list('listRefundsDue', decoderOf('refunds')),
    },
    disputes: {
      get: row('getDispute', decoderOf('disputes')),
      listByPayment: list('listDisputesByPayment', decoderOf('disputes')),
      list: (state, limit, after = '') =>
        rows('listDisputes', [state, after, atLeastZero(limit)], decoderOf('disputes')),
    },
    tenders: {
      get: row('getTender', decoderOf('tenders')),
      listByAppointment: (id, limit) =>
        rows('listTendersByAppointment', [id, atLeastZero(limit)], decoderOf('tenders')).map(
          reversed,
        ),
      listByPayment: list('listTendersByPayment', decoderOf('tenders')),
      list: spans('listTenders', decoderOf('tenders')),
      listAll: (limit, after = '') =>
        rows('listTendersAll', [after, atLeastZero(limit)], decoderOf('tenders')),
    },
    shares: {
      get: row('getShare', decoderOf('shares')),
      listByAppointment: (id, limit) =>
        rows('listSharesByAppointment', [id, atLeastZero(limit)], decoderOf('shares')).map(
          reversed,
        ),
      listByPayment: list('listSharesByPayment', decoderOf('shares')),
      list: spans('listShares', decoderOf('shares')),
    },
    movements: {
      list: spans('listMovements', decoderOf('movements')),
      listByPayment: list('listMovementsByPayment', decoderOf('movements')),
    },
    settlements: {
      list: spans('listSettlements', decoderOf('settlements')),
      listUnknown: spans('listSettlementsUnknown', decoderOf('settlements')),
      listByPayment: list('listSettlementsByPayment', decoderOf('settlements')),
      sumOfPayout: (payoutId, businessId) =>
        rows('sumOfPayout', [payoutId, businessId], toPayoutSum),
    },
    payouts: {
      get: row('getPayout', decoderOf('payouts')),
      list: spans('listPayouts', decoderOf('payouts')),
    },
    reviews: {
      get: row('getReview', decoderOf('reviews')),
      list: (state, limit, after = '') => {
        const name = state === 'open' ? 'listReviewsOpen' : 'listReviewsResolved';
        return rows(name, [after, atLeastZero(limit)], decoderOf('reviews'));
      },
      listOpenOf: (account, reason, limit) =>
        rows('listReviewsOf', [account, reason, atLeastZero(limit)], decoderOf('reviews')),
    },
    setups: {
      get: row('getSetup', decoderOf('setups')),
      listDue: list('listSetupsDue', decoderOf('setups')),
      listByCustomer: (id, limit) =>
        rows('listSetupsByCustomer', [id, atLeastZero(limit)], decoderOf('setups')).map(reversed),
    },
    sweeps: {
      get: row('getSweep', decoderOf('sweeps')),
      listStale: list('listSweeps', decoderOf('sweeps')),
    },
    facts: { get: row('getFact', decoderOf('facts')) },
    financialAccounts: { get: row('getFinancialAccount', decoderOf('financial_accounts')) },
    schedules: { get: row('getSchedule', decoderOf('schedules')) },
    payoutPreferences: { get: row('getPayoutPreferences', decoderOf('payout_preferences')) },
    actors: {
      get: row('getActor', decoderOf('actors')),
      getBySubject: row('getActorBySubject', decoderOf('actors')),
    },
    terminals: {
      get: row('getTerminal', decoderOf('terminals')),
      getByDeviceIdentifier: row('getTerminalByDevice', decoderOf('terminals')),
      listByBarber: (id, limit) =>
        rows('listTerminalsByBarber', [id, atLeastZero(limit)], decoderOf('terminals')).map(
          reversed,
        ),
      listAll: (limit, after = '') =>
        rows('listTerminals', [after, atLeastZero(limit)], decoderOf('terminals')),
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
