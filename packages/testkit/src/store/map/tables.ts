import type {
  Appointment,
  Barber,
  Business,
  Commit,
  Dispute,
  FinancialAccount,
  KeyRecord,
  Ledger,
  MethodSetup,
  MoneyBack,
  Payment,
  PayoutPreferences,
  PendingEvent,
  Refund,
  Review,
  Schedule,
  SweptLedger,
  Terminal,
} from '@chairside/core';
import { compareKeys } from './names.ts';
import { createTable } from './table.ts';

/** Without `deliverAt`: it waits for an earlier one, or is a dead letter. */
export interface StoredEvent extends PendingEvent {
  readonly deliverAt?: number;
  readonly isDead: boolean;
}

interface Records {
  readonly commits: Pick<Commit, 'id' | 'at'>;
  readonly payments: Payment;
  readonly ledgers: Ledger;
  readonly keys: KeyRecord;
  readonly events: StoredEvent;
  readonly processorEvents: { readonly at: number };
  readonly moneyBacks: MoneyBack;
  readonly refunds: Refund;
  readonly disputes: Dispute;
  readonly reviews: Review;
  readonly setups: MethodSetup;
  readonly sweeps: SweptLedger;
  readonly terminals: Terminal;
  readonly appointments: Appointment;
  readonly barbers: Barber;
  readonly businesses: Business;
  readonly financialAccounts: FinancialAccount;
  readonly schedules: Schedule;
  readonly payoutPreferences: PayoutPreferences;
}

/** The content of a Map store at one moment; it never changes. */
export type MapStoreSnapshot = {
  readonly [Name in keyof Records]: Iterable<readonly [string, Records[Name]]>;
};

export type Tables = ReturnType<typeof createTables>;

/** The tables of a store, with their indexes. */
export function createTables(from?: MapStoreSnapshot) {
  return {
    commits: createTable(
      { orders: { at: ({ at }: Pick<Commit, 'id' | 'at'>) => at } },
      from?.commits,
    ),
    payments: createTable(
      {
        groups: { appointment: ({ appointment }: Payment) => appointment.id },
        orders: { nextCheck: ({ nextCheckAt }: Payment) => nextCheckAt },
      },
      from?.payments,
    ),
    ledgers: createTable<Ledger>({}, from?.ledgers),
    keys: createTable(
      {
        groups: { resource: ({ resourceId }: KeyRecord) => resourceId },
        orders: {
          forget: ({ resourceId, forgetAt }: KeyRecord) =>
            resourceId === undefined ? forgetAt : undefined,
        },
      },
      from?.keys,
    ),
    events: createTable(
      {
        groups: {
          subject: ({ event }: StoredEvent) => event.subject,
          dead: ({ isDead }: StoredEvent) => (isDead ? 'dead' : undefined),
        },
        orders: {
          deliver: ({ deliverAt }: StoredEvent) => deliverAt,
          untaken: ({ deliverAt, attempts }: StoredEvent) =>
            attempts === 0 ? deliverAt : undefined,
        },
      },
      from?.events,
    ),
    processorEvents: createTable(
      { orders: { at: ({ at }: { readonly at: number }) => at } },
      from?.processorEvents,
    ),
    moneyBacks: createTable<MoneyBack>({}, from?.moneyBacks),
    refunds: createTable(
      {
        groups: { payment: ({ paymentId }: Refund) => paymentId },
        orders: { nextCheck: ({ nextCheckAt }: Refund) => nextCheckAt },
      },
      from?.refunds,
    ),
    disputes: createTable(
      {
        groups: {
          payment: ({ paymentId }: Dispute) => paymentId,
          state: ({ state }: Dispute) => state,
        },
      },
      from?.disputes,
    ),
    reviews: createTable(
      {
        groups: {
          payment: ({ paymentId }: Review) => paymentId,
          state: ({ resolvedAt }: Review) => (resolvedAt === undefined ? 'open' : 'resolved'),
        },
      },
      from?.reviews,
    ),
    setups: createTable(
      {
        groups: { customer: ({ customerId }: MethodSetup) => customerId },
        orders: { nextCheck: ({ nextCheckAt }: MethodSetup) => nextCheckAt },
      },
      from?.setups,
    ),
    /** Few rows: one for each processor account. */
    sweeps: createTable<SweptLedger>({}, from?.sweeps),
    terminals: createTable(
      {
        groups: {
          device: ({ deviceIdentifier }: Terminal) => deviceIdentifier,
          barber: ({ barberId }: Terminal) => barberId,
        },
      },
      from?.terminals,
    ),
    appointments: createTable<Appointment>({}, from?.appointments),
    barbers: createTable<Barber>({}, from?.barbers),
    businesses: createTable<Business>({}, from?.businesses),
    financialAccounts: createTable(
      { groups: { business: ({ businessId }: FinancialAccount) => businessId } },
      from?.financialAccounts,
    ),
    schedules: createTable<Schedule>({}, from?.schedules),
    payoutPreferences: createTable<PayoutPreferences>({}, from?.payoutPreferences),
  };
}

/** Costs the number of records: they are frozen, so they need no copies. */
export function snapshotOf(tables: Tables): MapStoreSnapshot {
  return {
    commits: [...tables.commits.entries()],
    payments: [...tables.payments.entries()],
    ledgers: [...tables.ledgers.entries()],
    keys: [...tables.keys.entries()],
    events: [...tables.events.entries()],
    processorEvents: [...tables.processorEvents.entries()],
    moneyBacks: [...tables.moneyBacks.entries()],
    refunds: [...tables.refunds.entries()],
    disputes: [...tables.disputes.entries()],
    reviews: [...tables.reviews.entries()],
    setups: [...tables.setups.entries()],
    sweeps: [...tables.sweeps.entries()],
    terminals: [...tables.terminals.entries()],
    appointments: [...tables.appointments.entries()],
    barbers: [...tables.barbers.entries()],
    businesses: [...tables.businesses.entries()],
    financialAccounts: [...tables.financialAccounts.entries()],
    schedules: [...tables.schedules.entries()],
    payoutPreferences: [...tables.payoutPreferences.entries()],
  };
}

/** The first event of a subject. Only the first can be due. */
export function firstOf({ events }: Tables, subject: string): StoredEvent | undefined {
  const waiting = events.group('subject', subject).map(({ record }) => record);
  return waiting.reduce<StoredEvent | undefined>(
    (first, one) => (first === undefined || compareKeys(one.event, first.event) < 0 ? one : first),
    undefined,
  );
}
