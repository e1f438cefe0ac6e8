import { setImmediate as nextTurn } from 'node:timers/promises';
import { err, errAsync, ok, okAsync, ResultAsync } from '@chairside/core';
import type { Change, Commit, Store } from '@chairside/core/ports';
import { applyChange } from '../../src/store/map/changes.ts';
import { createMapDatabase, type MapDatabase } from '../../src/store/map/database.ts';
import { connectTo, createMapStore } from '../../src/store/map/map-store.ts';
import { keyOf, pair } from '../../src/store/map/table.ts';
import { snapshotOf, type Tables } from '../../src/store/map/tables.ts';
import { underTest, type WrongStore, wrapping } from './wrong-store.ts';

type Answer = Awaited<ReturnType<Store['commit']>>;

/** The store commits by this function, one node at a time or not. */
const committing = (
  wrongly: (store: Store, commit: Commit, database: MapDatabase) => Promise<Answer>,
) =>
  wrapping((store, database) => ({
    commit: (commit) => new ResultAsync(wrongly(store, commit, database)),
  }));

/** A lock of the process is all that stands between a check and the write. */
function lockedInProcess(): ReturnType<typeof underTest> {
  const database = createMapDatabase(undefined, applyBlindly);
  return underTest(database, (shared) => {
    const store = connectTo(shared);
    let lock: Promise<unknown> = Promise.resolve();
    const commit = async (given: Commit): Promise<Answer> => {
      const checked = await createMapStore({ from: snapshotOf(shared.tables) }).commit(given);
      if (checked.isErr()) return err(checked.error);
      await nextTurn();
      return store.commit(given);
    };
    return {
      ...store,
      commit: (given) => {
        const turn = lock.then(() => commit(given));
        lock = turn;
        return new ResultAsync(turn);
      },
    };
  });
}

let serial = 0;
const anotherId = () => {
  serial += 1;
  return `another id ${serial}`;
};

export const storesThatCommitWrongly: readonly WrongStore[] = [
  {
    fault: 'holds conditions by a lock of the process',
    caughtBy: [
      'one comes first: a payment',
      'one comes first: a key that is free',
      'one comes first: a message of the processor',
      'one comes first: a review that is not there',
      'one comes first: a review',
      'one comes first: a setup that is not there',
      'one comes first: a setup',
      'one comes first: a refund that is not there',
      'one comes first: a refund',
      'one comes first: a dispute that is not there',
      'one comes first: a dispute',
    ],
    open: lockedInProcess,
  },
  {
    fault: 'does not look for the id',
    caughtBy: [
      'a commit is remembered for an hour, after any number of later ones',
      'sent many times at once, by two nodes where it has them, has one effect',
      'is final where it denies a commit: the same store',
      'deletes at most the limit of each type at a time',
    ],
    open: committing(async (store, commit) => {
      const answer = await store.commit({ ...commit, id: anotherId() });
      if (answer.isOk()) await store.commit({ ...commit, changes: [] }).unwrapOr(undefined);
      return answer;
    }),
  },
  {
    fault: 'keeps what it applied before a refused change',
    caughtBy: ['refuses, and names, a payment whose id is taken'],
    open: () =>
      underTest(createMapDatabase(), ({ tables }) => {
        const database: MapDatabase = {
          tables,
          deny: (id) => tables.commits.has(id),
          write: ({ id, at, changes }) => {
            if (tables.commits.has(id)) return ok();
            const failed = changes.find((change) => !applyChange(tables, change));
            if (failed !== undefined) return err({ kind: 'storeConflict', change: failed.kind });
            tables.commits.insert(id, { id, at });
            return ok();
          },
        };
        return connectTo(database);
      }),
  },
  {
    fault: 'does not remember a commit without changes',
    caughtBy: [
      'a commit is remembered for an hour, after any number of later ones',
      'deletes ids of commits before a time, and no others',
    ],
    open: committing(async (store, commit) => {
      return commit.changes.length === 0 ? ok() : store.commit(commit);
    }),
  },
  {
    fault: 'names the last change of a refused commit',
    caughtBy: [
      'names the first condition that failed',
      'lets one of 100 writers of the same version win',
    ],
    open: committing(async (store, commit) => {
      const answer = await store.commit(commit);
      if (answer.isOk() || answer.error.kind !== 'storeConflict') return answer;
      const { kind } = commit.changes.at(-1) ?? { kind: answer.error.change };
      return err({ kind: 'storeConflict', change: kind });
    }),
  },
  {
    fault: 'remembers denials in the process',
    caughtBy: [
      'is final where it denies a commit: another node',
      'forgets denials as it forgets ids of commits',
    ],
    open: wrapping((store, { tables }) => {
      const denied = new Set<string>();
      return {
        wasCommitted(id) {
          if (!tables.commits.has(id)) denied.add(id);
          return okAsync(tables.commits.has(id));
        },
        commit: (commit) =>
          denied.has(commit.id)
            ? errAsync({ kind: 'storeUnavailable', outcome: 'notApplied' })
            : store.commit(commit),
      };
    }),
  },
  {
    fault: 'cuts ids of commits at 64 characters',
    caughtBy: ['length only: commits'],
    open: committing(async (store, commit) =>
      store.commit({ ...commit, id: commit.id.slice(0, 64) }),
    ),
  },
];

/** Applies a change whether or not its condition holds, as a statement without a WHERE does. */
function applyBlindly(tables: Tables, change: Change): boolean {
  return applyChange(tables, change) || force(tables, change);
}

function force(tables: Tables, change: Change): boolean {
  switch (change.kind) {
    case 'insertKey':
      return tables.keys.put(pair(change.record.subject, change.record.key), change.record);
    case 'finishKey': {
      const id = pair(change.subject, change.key);
      const record = tables.keys.get(id);
      return record === undefined || tables.keys.put(id, { ...record, problem: change.problem });
    }
    case 'insertPayment':
    case 'updatePayment':
      return tables.payments.put(change.payment.id, change.payment);
    case 'moveLedger': {
      const { maxOpenPayments: _open, maxCommittedMinor: _committed, ...move } = change;
      return applyChange(tables, move);
    }
    case 'appendEvent':
      tables.events.remove(keyOf(change.event));
      return applyChange(tables, change);
    case 'leaseEvent':
    case 'postponeEvent':
    case 'removeEvent':
    case 'reviveEvent':
      return forceEvent(tables, change);
    case 'insertProcessorEvent':
      return true;
    case 'insertReview':
    case 'updateReview':
      return tables.reviews.put(change.review.id, change.review);
    case 'insertSetup':
    case 'updateSetup':
      return tables.setups.put(change.setup.id, change.setup);
    case 'insertRefund':
    case 'updateRefund':
      return tables.refunds.put(change.refund.id, change.refund);
    case 'deleteRefund':
      return tables.refunds.remove(change.id) || true;
    case 'insertDispute':
    case 'updateDispute':
      return tables.disputes.put(change.dispute.id, change.dispute);
    case 'insertActor':
      return tables.actors.put(`${change.actor.number}`, change.actor);
    case 'insertTerminal':
      return tables.terminals.put(change.terminal.id, change.terminal);
    case 'deletePayment':
      return tables.payments.remove(change.id) || true;
    case 'deleteSetup':
      return tables.setups.remove(change.id) || true;
    case 'deleteTerminal':
      return true;
    case 'deleteFinancialAccount':
      return tables.financialAccounts.remove(change.id) || true;
    case 'deleteSchedule':
      return tables.schedules.remove(change.id) || true;
    default:
      return true;
  }
}

type EventChange = Extract<
  Change,
  { kind: 'leaseEvent' | 'postponeEvent' | 'removeEvent' | 'reviveEvent' }
>;

function forceEvent(tables: Tables, change: EventChange): boolean {
  const stored = tables.events.get(keyOf(change));
  if (stored === undefined) return true;
  const { event } = stored;
  const attempts = change.kind === 'leaseEvent' ? stored.attempts + 1 : stored.attempts;
  if (change.kind === 'removeEvent') return tables.events.remove(keyOf(change));
  const { deliverAt } = change;
  return tables.events.put(keyOf(event), {
    event,
    attempts,
    isDead: deliverAt === undefined,
    ...(deliverAt !== undefined && { deliverAt }),
  });
}
