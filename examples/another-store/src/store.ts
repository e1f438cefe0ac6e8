import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import {
  type Actor,
  type Dispute,
  emptyLedger,
  type Ledger,
  type Movement,
  type Payment,
  type Payout,
  type Read,
  type Review,
  type SettlementEntry,
  type ShareEntry,
  type Span,
  type Store,
  type SweptBooks,
  type Tender,
  type Terminal,
} from '@chairside/core/ports';
import { createCalls, createCertainty, createRetries, sumsByKind } from '@chairside/core/storage';
import { apply, keyId, unknownOf } from './apply.ts';
import { commitWith } from './commit-with.ts';
import { eventId, isFirst, type StoredEvent } from './events.ts';
import { everything, recordsOf, schema } from './records.ts';

const busy = 5;
const maxAttempts = 60;

/** Throws where the file cannot be opened. */
export function openAnotherStore(path: string, report: (error: unknown) => void): Store {
  const connect = () => new DatabaseSync(path, { timeout: 0 });
  const writing = connect();
  // In WAL mode SQLite flushes at each commit only with FULL.
  writing.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  writing.exec(schema);
  // Reads have a connection of their own: the other one sees what it has not committed yet.
  const reading = connect();
  const to = recordsOf(writing);
  const from = recordsOf(reading);
  const calls = createCalls(report);
  const certainty = createCertainty(createRetries(maxAttempts, wait), report);
  let turn: Promise<void> = Promise.resolve();
  let hasFailed = false;
  const isWritten = (id: string) =>
    to.get<{ readonly isDenied?: true }>('commits', id)?.isDenied !== true;

  const commits = commitWith<PromiseWithResolvers<void>>(
    {
      async begin() {
        const mine = Promise.withResolvers<void>();
        const before = turn;
        turn = mine.promise;
        await before;
        try {
          // A COMMIT that failed may show after the file was opened again: nothing may follow it.
          if (hasFailed) throw new Error('The store has failed');
          writing.exec('BEGIN IMMEDIATE');
          return mine;
        } catch (error) {
          mine.resolve();
          throw error;
        }
      },
      remember(_, { id, at }) {
        if (to.insert('commits', id, { id }, { due: at })) return 'new';
        return isWritten(id) ? 'written' : 'denied';
      },
      deny(_, id) {
        to.insert('commits', id, { id, isDenied: true }, { due: Date.now() });
        return isWritten(id);
      },
      apply: (_, change) => apply(to, change),
      commit(mine) {
        try {
          writing.exec('COMMIT');
        } catch (error) {
          hasFailed = true;
          throw error;
        }
        mine.resolve();
      },
      rollback(mine) {
        try {
          if (writing.isTransaction) writing.exec('ROLLBACK');
        } finally {
          mine.resolve();
        }
      },
      mayRetry: (error) => error instanceof Error && 'errcode' in error && error.errcode === busy,
    },
    certainty,
  );

  /** Changes of a failed COMMIT may be visible now, and be gone after the next start. */
  function read<T>(find: () => T): Read<T> {
    return calls.read(() => {
      if (hasFailed) throw new Error('The store has failed');
      return find();
    });
  }

  const get = <T extends object>(collection: string) => ({
    get: (id: string) => read(() => from.get<T>(collection, id)),
  });

  const all =
    <T extends object>(collection: string) =>
    (limit: number, after = '') =>
      read(() => from.all<T>(collection, after, limit));

  /** The owner's records of a span, in order of time. */
  const spans =
    <T extends object>(collection: string, timeOf: (record: T) => number) =>
    (owner: string, span: Span, limit: number) =>
      read(() =>
        from
          .labeled<T>(collection, owner, '', everything)
          .filter((record) => timeOf(record) >= span.from && timeOf(record) < span.until)
          .sort((a, b) => timeOf(a) - timeOf(b))
          .slice(0, Math.max(0, limit)),
      );
  const entriesOf = spans<SettlementEntry>('settlements', ({ at }) => at);

  return {
    appointments: get('appointments'),
    barbers: get('barbers'),
    businesses: get('businesses'),
    financialAccounts: get('financialAccounts'),
    schedules: get('schedules'),
    payoutPreferences: get('payoutPreferences'),
    ledgers: {
      get: (id) => read(() => from.get<Ledger>('ledgers', id) ?? emptyLedger(id)),
    },
    payments: {
      ...get('payments'),
      listByAppointment: (id, limit, businessId) =>
        read(() => {
          const all = from.newest<Payment>('payments', id, everything);
          const listed = all.filter((one) => (businessId ?? one.businessId) === one.businessId);
          return listed.slice(Math.max(0, listed.length - Math.max(0, limit)));
        }),
      listDue: (now, limit) => read(() => from.toCheck('payments', now, limit)),
      listOpen: (businessId, limit) =>
        read(() => {
          const due = from.due<Payment>('payments', Number.MAX_SAFE_INTEGER, everything);
          const isOpen = ({ state }: Payment) => state !== 'captured' && state !== 'canceled';
          const open = due.filter((one) => one.businessId === businessId && isOpen(one));
          return open.slice(0, Math.max(0, limit));
        }),
      listCaptured: spans<Payment>('payments', ({ capturedAt = 0 }) => capturedAt),
      listAll: all('payments'),
    },
    keys: { get: (subject, key) => read(() => from.get('keys', keyId(subject, key))) },
    events: {
      listDue: (now, limit) =>
        read(() =>
          from
            .due<StoredEvent>('events', now, everything)
            .filter(({ event }) => isFirst(from, event))
            .slice(0, Math.max(0, limit))
            .map(({ event, attempts }) => ({ event, attempts })),
        ),
      listDead: (limit, after) =>
        read(() =>
          from
            .labeled<StoredEvent>(
              'events',
              'dead',
              after === undefined ? '' : eventId(after),
              limit,
            )
            .map(({ event, attempts }) => ({ event, attempts })),
        ),
    },
    processorEvents: {
      has: (id) => read(() => from.get('processorEvents', id) !== undefined),
    },
    refunds: {
      ...get('refunds'),
      listByPayment: (id, limit) => read(() => from.labeled('refunds', id, '', limit)),
      listDue: (now, limit) => read(() => from.toCheck('refunds', now, limit)),
    },
    disputes: {
      ...get('disputes'),
      listByPayment: (id, limit) =>
        read(() =>
          from
            .newest<Dispute>('disputes', id, everything)
            .sort((a, b) => (a.id < b.id ? -1 : 1))
            .slice(0, Math.max(0, limit)),
        ),
      list: (state, limit, after = '') => read(() => from.labeled('disputes', state, after, limit)),
    },
    tenders: {
      ...get('tenders'),
      listByAppointment: (id, limit) => read(() => from.newest('tenders', id, limit)),
      listByPayment: (id, limit) => read(() => from.newest('cash', id, limit)),
      list: spans<Tender>('tenders', ({ at }) => at),
      listAll: all('tenders'),
    },
    shares: {
      ...get('shares'),
      listByAppointment: (id, limit) => read(() => from.newest('shares', id, limit)),
      listByPayment: (id, limit) => read(() => from.newest('sharesOfPayment', id, limit)),
      list: spans<ShareEntry>('shares', ({ at }) => at),
    },
    movements: {
      list: spans<Movement>('movements', ({ at }) => at),
      listByPayment: (id, limit) => read(() => from.newest('movements', id, limit)),
    },
    settlements: {
      list: entriesOf,
      listUnknown: (account, span, limit) => entriesOf(unknownOf(account), span, limit),
      listByPayment: (id, limit) => read(() => from.newest('settlements', id, limit)),
      sumOfPayout: (id, business) =>
        read(() => {
          const paid = from.newest<SettlementEntry>('paid', id, everything);
          const own = paid.filter(({ businessId, paymentId }) => {
            const payment = from.get<Payment>('payments', paymentId);
            return (businessId ?? payment?.businessId ?? business) === business;
          });
          return sumsByKind(own);
        }),
    },
    payouts: {
      ...get('payouts'),
      list: spans<Payout>('payouts', ({ arrivesAt }) => arrivesAt),
    },
    reviews: {
      ...get('reviews'),
      list: (state, limit, after = '') => read(() => from.labeled('reviews', state, after, limit)),
      listOpenOf: (account, reason, limit) =>
        read(() =>
          from
            .labeled<Review>('reviews', 'open', '', everything)
            .filter((review) => review.account === account && review.reason === reason)
            .slice(0, Math.max(0, limit)),
        ),
      listByPayment: (id, limit) =>
        read(() =>
          from
            .newest<Review>('reviews', id, everything)
            .sort((a, b) => (a.id < b.id ? -1 : 1))
            .slice(0, Math.max(0, limit)),
        ),
    },
    setups: {
      ...get('setups'),
      listDue: (now, limit) => read(() => from.toCheck('setups', now, limit)),
      listByCustomer: (id, limit) => read(() => from.newest('setups', id, limit)),
    },
    sweeps: {
      ...get('sweeps'),
      listStale: (sweptBefore, limit) =>
        read(() =>
          from
            .due<SweptBooks>('sweeps', sweptBefore, everything)
            .sort((a, b) => a.triedAt - b.triedAt)
            .slice(0, Math.max(0, limit)),
        ),
    },
    facts: get('facts'),
    actors: {
      get: (number) => read(() => from.get<Actor>('actors', `${number}`)),
      getBySubject: (subject) => read(() => from.labeled<Actor>('actors', subject, '', 1)[0]),
    },
    terminals: {
      ...get('terminals'),
      getByDeviceIdentifier: (device) =>
        read(() => from.labeled<Terminal>('terminals', device, '', 1)[0]),
      listByBarber: (id, limit) => read(() => from.newest('terminals', id, limit)),
      listAll: all('terminals'),
    },
    commit: (one) => calls.run(() => commits.commit(one)),
    wasCommitted: (id) => calls.run(() => commits.wasCommitted(id)),
    close: () =>
      calls.close(() => {
        reading.close();
        writing.close();
      }),
  };
}
