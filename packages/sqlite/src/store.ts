import { emptyLedger, errAsync, type Read, type Store, tell } from '@chairside/core';
import {
  toAppointment,
  toBarber,
  toBusiness,
  toDispute,
  toFinancialAccount,
  toKeyRecord,
  toLedger,
  toPayment,
  toPayoutPreferences,
  toPendingEvent,
  toRefund,
  toReview,
  toSchedule,
  toSetup,
  toSweptLedger,
  toTerminal,
} from '@chairside/core/storage';
import type { Database } from 'better-sqlite3';
import { createCheckpointer, type Pace } from './checkpointer.ts';
import { createCommitQueue } from './commit-queue.ts';
import { explained } from './fault.ts';
import { createReadQueue } from './read-queue.ts';
import type { Statements } from './statements.ts';
import { createWriter, notApplied } from './writer.ts';

export interface StoreOptions {
  readonly onError?: ((error: unknown) => void) | undefined;
  readonly maxBusyAttempts?: number | undefined;
  /** For tests: when the WAL is copied, and its maximum size. */
  readonly pace?: Partial<Pace>;
}

/** Builds the store over a connection that is set up and migrated; `close()` closes it. */
export function createStore(db: Database, statements: Statements, options: StoreOptions): Store {
  const checkpointer = db.memory ? undefined : createCheckpointer(db, report, options.pace);
  const writer = createWriter(db, statements, {
    hasRoom: () => checkpointer?.hasRoom() ?? true,
    committed: () => checkpointer?.committed(),
    error: report,
  });
  const maxBusyAttempts = options.maxBusyAttempts ?? 60;
  const reads = createReadQueue(db, statements, maxBusyAttempts, {
    // After a failed COMMIT its changes may still appear when the file is reopened. A read now
    // would miss them, and a caller could wrongly report "not applied" (D70).
    isReadable: () => !writer.hasFailed(),
    error: report,
  });
  const commits = createCommitQueue(writer, maxBusyAttempts, reads.areWaiting, report);
  let closing: Promise<void> | undefined;

  function report(error: unknown): void {
    tell(options.onError, explained(error));
  }

  function read<T>(find: () => T): Read<T> {
    return closing === undefined ? reads.add(find) : errAsync(notApplied);
  }

  function found<Row, T>(row: Row | undefined, from: (row: Row) => T): T | undefined {
    return row === undefined ? undefined : from(row);
  }

  return {
    appointments: {
      get: (id) => read(() => found(statements.getAppointment.get(id), toAppointment)),
    },
    barbers: { get: (id) => read(() => found(statements.getBarber.get(id), toBarber)) },
    businesses: { get: (id) => read(() => found(statements.getBusiness.get(id), toBusiness)) },
    ledgers: {
      get: (id) => read(() => found(statements.getLedger.get(id), toLedger) ?? emptyLedger(id)),
    },
    payments: {
      get: (id) => read(() => found(statements.getPayment.get(id), toPayment)),
      listByAppointment: (id, limit, businessId) =>
        read(() =>
          statements.listPaymentsByAppointment
            .all(id, businessId ?? null, atLeastZero(limit))
            .reverse()
            .map(toPayment),
        ),
      listDue: (now, limit) =>
        read(() => statements.listPaymentsDue.all(now, atLeastZero(limit)).map(toPayment)),
    },
    keys: {
      get: (subject, key) => read(() => found(statements.getKey.get(subject, key), toKeyRecord)),
    },
    events: {
      listDue: (now, limit) =>
        read(() => statements.listEventsDue.all(now, atLeastZero(limit)).map(toPendingEvent)),
      listDead: (limit, { subject, version } = { subject: '', version: 0 }) =>
        read(() =>
          statements.listEventsDead.all(subject, version, atLeastZero(limit)).map(toPendingEvent),
        ),
    },
    processorEvents: {
      has: (id) => read(() => statements.getProcessorEvent.get(id) !== undefined),
    },
    moneyBacks: {
      has: (account, kind, id) =>
        read(() => statements.getMoneyBack.get(account, kind, id) !== undefined),
    },
    refunds: {
      get: (id) => read(() => found(statements.getRefund.get(id), toRefund)),
      listByPayment: (id, limit) =>
        read(() => statements.listRefundsByPayment.all(id, atLeastZero(limit)).map(toRefund)),
      listDue: (now, limit) =>
        read(() => statements.listRefundsDue.all(now, atLeastZero(limit)).map(toRefund)),
    },
    disputes: {
      get: (id) => read(() => found(statements.getDispute.get(id), toDispute)),
      listByPayment: (id, limit) =>
        read(() => statements.listDisputesByPayment.all(id, atLeastZero(limit)).map(toDispute)),
      list: (state, limit, after = '') =>
        read(() => statements.listDisputes.all(state, after, atLeastZero(limit)).map(toDispute)),
    },
    reviews: {
      get: (id) => read(() => found(statements.getReview.get(id), toReview)),
      list: (state, limit, after = '') =>
        read(() => {
          const { listReviewsOpen, listReviewsResolved } = statements;
          const list = state === 'open' ? listReviewsOpen : listReviewsResolved;
          return list.all(after, atLeastZero(limit)).map(toReview);
        }),
      listOpenOf: (account, reason, limit) =>
        read(() => statements.listReviewsOf.all(account, reason, atLeastZero(limit)).map(toReview)),
    },
    setups: {
      get: (id) => read(() => found(statements.getSetup.get(id), toSetup)),
      listDue: (now, limit) =>
        read(() => statements.listSetupsDue.all(now, atLeastZero(limit)).map(toSetup)),
      listByCustomer: (id, limit) =>
        read(() =>
          statements.listSetupsByCustomer.all(id, atLeastZero(limit)).reverse().map(toSetup),
        ),
    },
    sweeps: {
      listStale: (sweptBefore, limit) =>
        read(() => statements.listSweeps.all(sweptBefore, atLeastZero(limit)).map(toSweptLedger)),
    },
    financialAccounts: {
      get: (id) => read(() => found(statements.getFinancialAccount.get(id), toFinancialAccount)),
    },
    schedules: { get: (id) => read(() => found(statements.getSchedule.get(id), toSchedule)) },
    payoutPreferences: {
      get: (id) => read(() => found(statements.getPayoutPreferences.get(id), toPayoutPreferences)),
    },
    terminals: {
      get: (id) => read(() => found(statements.getTerminal.get(id), toTerminal)),
      getByDeviceIdentifier: (device) =>
        read(() => found(statements.getTerminalByDevice.get(device), toTerminal)),
      listByBarber: (id, limit) =>
        read(() =>
          statements.listTerminalsByBarber.all(id, atLeastZero(limit)).reverse().map(toTerminal),
        ),
    },

    commit: (commit) => (closing === undefined ? commits.add(commit) : errAsync(notApplied)),

    wasCommitted: (id) => {
      if (closing !== undefined) return errAsync(notApplied);
      return commits
        .deny(id)
        .mapErr(() => notApplied)
        .andThen(() => reads.add(() => statements.getCommit.get(id)?.is_denied === 0));
    },

    close: () => {
      closing ??= Promise.all([commits.settled(), reads.settled()])
        .then(() => checkpointer?.close())
        .then(() => {
          db.close();
        })
        .catch(report);
      return closing;
    },
  };
}

/** To SQLite, a negative limit means no limit. */
function atLeastZero(limit: number): number {
  return Math.max(0, limit);
}
