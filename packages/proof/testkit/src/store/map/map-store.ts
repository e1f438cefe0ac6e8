import { errAsync, okAsync, ResultAsync } from '@chairside/core';
import {
  emptyLedger,
  type Payment,
  type Payout,
  type PendingEvent,
  type Read,
  type Span,
  type Store,
  type StoreUnavailable,
} from '@chairside/core/ports';
import { longestWaitMs, sumsByKind } from '@chairside/core/storage';
import { isFirst } from './changes.ts';
import { createMapDatabase, type MapDatabase } from './database.ts';
import { compareKeys, type Entry, pair, type Table, take } from './table.ts';
import { type MapStoreSnapshot, type StoredEvent, snapshotOf } from './tables.ts';

export type { MapStoreSnapshot } from './tables.ts';

export interface MapStore extends Store {
  snapshot(): MapStoreSnapshot;
}

const unavailable: StoreUnavailable = { kind: 'storeUnavailable', outcome: 'notApplied' };

/**
 * The store in memory, for tests and simulation. It keeps every promise of the port except
 * durability. It finds records by indexes, so the cost of a call does not grow with the records.
 * @param options `from`: starts with the records of a snapshot, as a process does after a crash.
 */
export function createMapStore(options: { readonly from?: MapStoreSnapshot } = {}): MapStore {
  return connectTo(createMapDatabase(options.from));
}

/** A store over records that others may use as well, each by a store of its own. */
export function connectTo({ tables, write, deny }: MapDatabase): MapStore {
  const { payments, events, setups, terminals } = tables;
  let isClosed = false;

  function read<T>(find: () => T): Read<T> {
    return isClosed ? errAsync(unavailable) : okAsync(find());
  }

  function* dueEvents(now: number): Generator<StoredEvent> {
    for (const { record } of events.upTo('deliver', now)) {
      if (isFirst(tables, record.event)) yield record;
    }
  }

  /** The lists of what was booked for payments. */
  const ofPayments = <T extends Timed>(table: Table<T, 'business' | 'payment'>) => ({
    list: (businessId: string, span: Span, limit: number) =>
      read(() => inSpan(table.group('business', businessId), at, span, limit)),
    listByPayment: (id: string, limit: number) =>
      read(() => inSpan(table.group('payment', id), at, always, limit)),
  });

  const ofVisits = <T extends Timed>(table: Table<T, 'business' | 'payment' | 'appointment'>) => ({
    ...ofPayments(table),
    get: (id: string) => read(() => table.get(id)),
    listByAppointment: (id: string, limit: number) =>
      read(() => newest(table.group('appointment', id), at, limit)),
  });

  return {
    appointments: {
      get: (id) => read(() => tables.appointments.get(id)),
      getByPayment: (id) =>
        read(() => tables.appointments.get(payments.get(id)?.appointment.id ?? '')),
    },
    barbers: { get: (id) => read(() => tables.barbers.get(id)) },
    businesses: {
      get: (id) => read(() => tables.businesses.get(id)),
      getByAppointment: (id) =>
        read(() => tables.businesses.get(tables.appointments.get(id)?.businessId ?? '')),
    },
    ledgers: { get: (id) => read(() => tables.ledgers.get(id) ?? emptyLedger(id)) },
    payments: {
      get: (id) => read(() => payments.get(id)),
      listByAppointment: (id, limit, business) =>
        read(() => newest(payments.group('appointment', id), createdAt, limit, isOf(business))),
      listDue: (now, limit) => read(() => due(payments, now, limit)),
      listOpen: (businessId, limit) =>
        read(() => {
          const toCheck = recordsOf([...payments.upTo('nextCheck', Infinity)]);
          const open = toCheck.filter((one) => one.businessId === businessId && isOpen(one));
          return take(open, limit);
        }),
      listCaptured: (businessId, span, limit) =>
        read(() => inSpan(payments.group('captured', businessId), capturedAt, span, limit)),
      listAll: (limit, after) => read(() => take(byId(allOf(payments), after), limit)),
    },
    keys: { get: (subject, key) => read(() => tables.keys.get(pair(subject, key))) },
    events: {
      listDue: (now, limit) => read(() => take(dueEvents(now), limit).map(pending)),
      listDead: (limit, after = { subject: '', version: 0 }) =>
        read(() => {
          const dead = recordsOf(events.group('dead', 'dead'))
            .filter(({ event }) => compareKeys(event, after) > 0)
            .sort((a, b) => compareKeys(a.event, b.event));
          return take(dead, limit).map(pending);
        }),
    },
    processorEvents: { has: (id) => read(() => tables.processorEvents.has(id)) },
    refunds: {
      get: (id) => read(() => tables.refunds.get(id)),
      listByPayment: (id, limit) =>
        read(() => take(byId(recordsOf(tables.refunds.group('payment', id))), limit)),
      listDue: (now, limit) => read(() => due(tables.refunds, now, limit)),
    },
    disputes: {
      get: (id) => read(() => tables.disputes.get(id)),
      listByPayment: (id, limit) =>
        read(() => take(byId(recordsOf(tables.disputes.group('payment', id))), limit)),
      list: (state, limit, after) =>
        read(() => take(byId(recordsOf(tables.disputes.group('state', state)), after), limit)),
    },
    tenders: {
      ...ofVisits(tables.tenders),
      listAll: (limit, after) => read(() => take(byId(allOf(tables.tenders), after), limit)),
    },
    shares: ofVisits(tables.shares),
    movements: ofPayments(tables.movements),
    settlements: {
      ...ofPayments(tables.settlements),
      listUnknown: (account, span, limit) =>
        read(() => inSpan(tables.settlements.group('unknown', account), at, span, limit)),
      sumOfPayout: (payoutId, business) =>
        read(() => {
          const paid = recordsOf(tables.settlements.group('payout', payoutId));
          const own = paid.filter(({ businessId, paymentId }) => {
            const owner = businessId ?? payments.get(paymentId)?.businessId ?? business;
            return owner === business;
          });
          return sumsByKind(own);
        }),
    },
    payouts: {
      get: (id) => read(() => tables.payouts.get(id)),
      list: (account, span, limit) =>
        read(() => inSpan(tables.payouts.group('account', account), arrivesAt, span, limit)),
    },
    reviews: {
      get: (id) => read(() => tables.reviews.get(id)),
      list: (state, limit, after) =>
        read(() => take(byId(recordsOf(tables.reviews.group('state', state)), after), limit)),
      listOpenOf: (account, reason, limit) =>
        read(() => {
          const open = recordsOf(tables.reviews.group('state', 'open'));
          const meant = open.filter((one) => one.account === account && one.reason === reason);
          return take(byId(meant), limit);
        }),
      listByPayment: (id, limit) =>
        read(() => take(byId(recordsOf(tables.reviews.group('payment', id))), limit)),
    },
    setups: {
      get: (id) => read(() => setups.get(id)),
      listDue: (now, limit) => read(() => due(setups, now, limit)),
      listByCustomer: (id, limit) =>
        read(() => newest(setups.group('customer', id), createdAt, limit)),
    },
    sweeps: {
      get: (books) => read(() => tables.sweeps.get(books)),
      listStale: (sweptBefore, limit) =>
        read(() =>
          take(
            recordsOf([...tables.sweeps.entries()])
              .filter((swept) => swept.sweptBefore <= sweptBefore)
              .sort((a, b) => a.triedAt - b.triedAt),
            limit,
          ),
        ),
    },
    facts: { get: (name) => read(() => tables.facts.get(name)) },
    financialAccounts: { get: (id) => read(() => tables.financialAccounts.get(id)) },
    schedules: { get: (id) => read(() => tables.schedules.get(id)) },
    payoutPreferences: { get: (id) => read(() => tables.payoutPreferences.get(id)) },
    actors: {
      get: (number) => read(() => tables.actors.get(`${number}`)),
      getBySubject: (subject) => read(() => tables.actors.group('subject', subject)[0]?.record),
    },
    terminals: {
      get: (id) => read(() => terminals.get(id)),
      getByDeviceIdentifier: (device) => read(() => terminals.group('device', device)[0]?.record),
      listByBarber: (id, limit) =>
        read(() => newest(terminals.group('barber', id), createdAt, limit)),
      listAll: (limit, after) => read(() => take(byId(allOf(terminals), after), limit)),
    },
    commit: (commit) =>
      isClosed ? errAsync(unavailable) : new ResultAsync(Promise.resolve(write(commit))),
    wasCommitted: (id) => read(() => deny(id)),
    close: async () => {
      isClosed = true;
    },
    snapshot: () => snapshotOf(tables),
  };
}

/** Records to check: the longest overdue first, and then those whose time a wrong clock has written. */
function due<T, Group extends string>(
  table: Table<T, Group, 'nextCheck'>,
  now: number,
  limit: number,
): readonly T[] {
  const overdue = take(table.upTo('nextCheck', now), limit);
  const ahead = take(table.above('nextCheck', now + longestWaitMs), limit - overdue.length);
  return recordsOf([...overdue, ...ahead]);
}

function recordsOf<T>(entries: readonly Entry<T>[]): T[] {
  return entries.map(({ record }) => record);
}

function allOf<T>({ entries }: { entries(): Iterable<Entry<T>> }): T[] {
  return recordsOf([...entries()]);
}

/** In order of their ids, from the first behind `after`. */
function byId<T extends { readonly id: string }>(records: readonly T[], after = ''): readonly T[] {
  return records.filter(({ id }) => id > after).sort((a, b) => (a.id < b.id ? -1 : 1));
}

function newest<T>(
  entries: readonly Entry<T>[],
  timeOf: (record: T) => number,
  limit: number,
  isListed: (record: T) => boolean = () => true,
): readonly T[] {
  const found = recordsOf(entries)
    .filter(isListed)
    .sort((a, b) => timeOf(a) - timeOf(b));
  return found.slice(Math.max(0, found.length - Math.max(0, limit)));
}

type Timed = Readonly<Record<'at', number>>;
const at = (record: Timed) => record.at;
const createdAt = (record: { readonly createdAt: number }) => record.createdAt;
const capturedAt = (payment: Payment) => payment.capturedAt ?? 0;
const arrivesAt = (payout: Payout) => payout.arrivesAt;
const always: Span = { from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY };

/** The records of a span, in order of time. */
function inSpan<T>(
  entries: readonly Entry<T>[],
  timeOf: (record: T) => number,
  { from, until }: Span,
  limit: number,
): readonly T[] {
  const found = recordsOf(entries)
    .filter((record) => timeOf(record) >= from && timeOf(record) < until)
    .sort((a, b) => timeOf(a) - timeOf(b));
  return take(found, limit);
}

function isOpen({ state }: Payment): boolean {
  return state !== 'captured' && state !== 'canceled';
}

function isOf(business: string | undefined) {
  return ({ businessId }: Payment) => business === undefined || businessId === business;
}

function pending({ event, attempts }: StoredEvent): PendingEvent {
  return { event, attempts };
}
