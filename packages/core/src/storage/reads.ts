import type { Read, Store } from '../ports/store.ts';
import type { EpochMs, Span } from '../values/time.ts';
import type { RecordOf, TableName } from './schema.ts';

type Find<T> = (...values: (string | number | null)[]) => Read<T>;
/** The last value is the limit. */
type FindAll<T extends TableName> = Find<readonly RecordOf<T>[]>;

/**
 * The kinds of reads, as each SQL store runs them. In a condition, `@name` stands for the table of that name, `?`
 * for the next value if it is a text, and `#` if it is a number.
 */
export interface Finders {
  /** The condition that this column of flags is true, in the words of the indexes. */
  isTrue(column: string): string;
  has(table: string, condition: string): Find<boolean>;
  one<T extends TableName>(table: T, condition: string): Find<RecordOf<T> | undefined>;
  list<T extends TableName>(table: T, condition: string, order: string): FindAll<T>;
  /** The same, without corrupt rows, which are reported. */
  work<T extends TableName>(table: T, condition: string, order: string): FindAll<T>;
  /** The newest records by this time, oldest first. */
  newest<T extends TableName>(table: T, condition: string, time: string): FindAll<T>;
  /**
   * The work that is due: the longest due first, and then what is due at a time that a wrong clock has written. Corrupt
   * rows are reported and left out, or where the list must be whole, it cannot be read.
   */
  due<T extends TableName>(
    table: T,
    mustBeWhole?: true,
  ): (now: EpochMs, limit: number) => Read<readonly RecordOf<T>[]>;
}

/** The groups of a store whose reads need no other SQL. */
interface CommonReads
  extends Omit<
    Store,
    'ledgers' | 'settlements' | 'now' | 'about' | 'commit' | 'wasCommitted' | 'close'
  > {
  readonly settlements: Omit<Store['settlements'], 'sumOfPayout'>;
}

/** The reads that all SQL stores have in common. Those of a create and a capture come first. */
export function commonReads({ isTrue, has, one, list, work, newest, due }: Finders): CommonReads {
  const byId = <T extends TableName>(table: T) => one(table, 'id = ?');

  /** The owner's records of a span, in order of time. */
  function ofSpan<T extends TableName>(table: T, owner: string, time: string) {
    const found = list(table, `${owner} = ? AND ${time} >= # AND ${time} < #`, time);
    return (id: string, { from, until }: Span, limit: number) => found(id, from, until, limit);
  }

  /** All records in order of their ids. */
  function all<T extends TableName>(table: T, condition = 'id > ?') {
    const found = list(table, condition, 'id');
    return (limit: number, after = '') => found(after, limit);
  }

  const paymentsOf = newest(
    'payments',
    'appointment_id = ? AND business_id = coalesce(?, business_id)',
    'created_at',
  );
  const deadEvents = list(
    'events',
    `${isTrue('is_dead')} AND (subject, version) > (?, #)`,
    'subject, version',
  );
  const disputes = list('disputes', 'state = ? AND id > ?', 'id');
  const reviews = {
    open: all('reviews', 'resolved_at IS NULL AND id > ?'),
    resolved: all('reviews', 'resolved_at IS NOT NULL AND id > ?'),
  };

  return {
    keys: { get: one('keys', 'subject = ? AND key = ?') },
    payments: {
      get: byId('payments'),
      listByAppointment: (id, limit, businessId) => paymentsOf(id, businessId ?? null, limit),
      listDue: due('payments'),
      listOpen: list(
        'payments',
        `business_id = ? AND next_check_at IS NOT NULL AND state NOT IN ('captured', 'canceled')`,
        'next_check_at',
      ),
      listCaptured: ofSpan('payments', 'business_id', 'captured_at'),
      listAll: all('payments'),
    },
    appointments: {
      get: byId('appointments'),
      getByPayment: one('appointments', 'id = (SELECT appointment_id FROM @payments WHERE id = ?)'),
    },
    businesses: {
      get: byId('businesses'),
      getByAppointment: one(
        'businesses',
        'id = (SELECT business_id FROM @appointments WHERE id = ?)',
      ),
    },
    barbers: { get: byId('barbers') },
    events: {
      listDue: work(
        'events',
        `deliver_at <= # AND NOT EXISTS (SELECT 1 FROM @events AS earlier
          WHERE earlier.subject = @events.subject AND earlier.version < @events.version)`,
        'deliver_at',
      ),
      listDead: (limit, after = { subject: '', version: 0 }) =>
        deadEvents(after.subject, after.version, limit),
    },
    processorEvents: { has: has('processor_events', 'id = ?') },
    refunds: {
      get: byId('refunds'),
      listByPayment: list('refunds', 'payment_id = ?', 'id'),
      // A statement reads them too, and a day must not be closed while one of them is unknown.
      listDue: due('refunds', true),
    },
    disputes: {
      get: byId('disputes'),
      listByPayment: list('disputes', 'payment_id = ?', 'id'),
      list: (state, limit, after = '') => disputes(state, after, limit),
    },
    tenders: {
      get: byId('tenders'),
      listByAppointment: newest('tenders', 'appointment_id = ?', 'at'),
      listByPayment: list('tenders', 'payment_id = ?', 'at'),
      list: ofSpan('tenders', 'business_id', 'at'),
      listAll: all('tenders'),
    },
    shares: {
      get: byId('shares'),
      listByAppointment: newest('shares', 'appointment_id = ?', 'at'),
      listByPayment: list('shares', 'payment_id = ?', 'at'),
      list: ofSpan('shares', 'business_id', 'at'),
    },
    movements: {
      list: ofSpan('movements', 'business_id', 'at'),
      listByPayment: list('movements', 'payment_id = ?', 'at'),
    },
    settlements: {
      list: ofSpan('settlements', 'business_id', 'at'),
      listUnknown: ofSpan('settlements', 'business_id IS NULL AND account', 'at'),
      listByPayment: list('settlements', 'payment_id = ?', 'at'),
    },
    payouts: { get: byId('payouts'), list: ofSpan('payouts', 'account', 'arrives_at') },
    reviews: {
      get: byId('reviews'),
      list: (state, limit, after) => reviews[state](limit, after),
      listOpenOf: list('reviews', 'account = ? AND reason = ? AND resolved_at IS NULL', 'id'),
      listByPayment: list('reviews', 'payment_id = ?', 'id'),
    },
    setups: {
      get: byId('setups'),
      listDue: due('setups'),
      listByCustomer: newest('setups', 'customer_id = ?', 'created_at'),
    },
    sweeps: {
      get: one('sweeps', 'account = ?'),
      listStale: list('sweeps', 'swept_before <= #', 'tried_at'),
    },
    facts: { get: one('facts', 'name = ?') },
    financialAccounts: { get: byId('financial_accounts') },
    schedules: { get: byId('schedules') },
    payoutPreferences: { get: one('payout_preferences', 'business_id = ?') },
    actors: { get: one('actors', 'number = #'), getBySubject: one('actors', 'subject = ?') },
    terminals: {
      get: byId('terminals'),
      getByDeviceIdentifier: one('terminals', 'device_identifier = ?'),
      listByBarber: newest('terminals', 'barber_id = ?', 'created_at'),
      listAll: all('terminals'),
    },
  };
}
