import type {
  Appointment,
  Barber,
  Business,
  FinancialAccount,
  PayoutPreferences,
  Schedule,
} from '@chairside/core';
import type {
  Actor,
  Commit,
  Dispute,
  Fact,
  KeyRecord,
  Ledger,
  MethodSetup,
  Movement,
  Payment,
  Payout,
  PendingEvent,
  Refund,
  Review,
  SettlementEntry,
  ShareEntry,
  SweptBooks,
  Tender,
  Terminal,
} from '@chairside/core/ports';
import { compareKeys, createTable, type Entry, type Table } from './table.ts';

/** Without `deliverAt`: it waits for an earlier one, or is a dead letter. */
export interface StoredEvent extends PendingEvent {
  readonly deliverAt?: number;
  readonly isDead: boolean;
}

interface StoredCommit extends Pick<Commit, 'id' | 'at'> {
  /** `wasCommitted` has denied it, so that it is never applied. */
  readonly isDenied?: true;
}

export type Tables = ReturnType<typeof createTables>;

/** What tenders and shares are looked up by. */
const byVisit = {
  appointment: (entry: Tender | ShareEntry) => entry.appointmentId,
  business: (entry: Tender | ShareEntry) => entry.businessId,
  payment: (entry: Tender | ShareEntry) => entry.paymentId,
};

/** The tables of a store, with their indexes. */
export function createTables() {
  return {
    commits: createTable({ orders: { at: ({ at }: StoredCommit) => at } }),
    payments: createTable({
      groups: {
        appointment: ({ appointment }: Payment) => appointment.id,
        captured: ({ businessId, capturedAt }: Payment) =>
          capturedAt === undefined ? undefined : businessId,
      },
      orders: { nextCheck: ({ nextCheckAt }: Payment) => nextCheckAt },
    }),
    ledgers: createTable<Ledger>(),
    keys: createTable({
      groups: { resource: ({ resourceId }: KeyRecord) => resourceId },
      orders: { forget: ({ forgetAt }: KeyRecord) => forgetAt },
    }),
    events: createTable({
      groups: {
        subject: ({ event }: StoredEvent) => event.subject,
        dead: ({ isDead }: StoredEvent) => (isDead ? 'dead' : undefined),
      },
      orders: {
        deliver: ({ deliverAt }: StoredEvent) => deliverAt,
        untaken: ({ deliverAt, attempts }: StoredEvent) => (attempts === 0 ? deliverAt : undefined),
      },
    }),
    processorEvents: createTable({ orders: { at: ({ at }: { readonly at: number }) => at } }),
    refunds: createTable({
      groups: { payment: ({ paymentId }: Refund) => paymentId },
      orders: { nextCheck: ({ nextCheckAt }: Refund) => nextCheckAt },
    }),
    disputes: createTable({
      groups: {
        payment: ({ paymentId }: Dispute) => paymentId,
        state: ({ state }: Dispute) => state,
      },
    }),
    tenders: createTable<Tender, keyof typeof byVisit>({ groups: byVisit }),
    shares: createTable<ShareEntry, keyof typeof byVisit>({ groups: byVisit }),
    movements: createTable({
      groups: {
        business: ({ businessId }: Movement) => businessId,
        payment: ({ paymentId }: Movement) => paymentId,
      },
    }),
    settlements: createTable({
      groups: {
        business: ({ businessId }: SettlementEntry) => businessId,
        unknown: ({ businessId, account }: SettlementEntry) =>
          businessId === undefined ? account : undefined,
        payment: ({ paymentId }: SettlementEntry) => paymentId,
        payout: ({ payoutId }: SettlementEntry) => payoutId,
      },
    }),
    payouts: createTable({ groups: { account: ({ account }: Payout) => account } }),
    reviews: createTable({
      groups: {
        payment: ({ paymentId }: Review) => paymentId,
        state: ({ resolvedAt }: Review) => (resolvedAt === undefined ? 'open' : 'resolved'),
      },
    }),
    setups: createTable({
      groups: { customer: ({ customerId }: MethodSetup) => customerId },
      orders: { nextCheck: ({ nextCheckAt }: MethodSetup) => nextCheckAt },
    }),
    /** Few rows: one for each processor account. */
    sweeps: createTable<SweptBooks>(),
    facts: createTable<Fact>(),
    actors: createTable({ groups: { subject: ({ subject }: Actor) => subject } }),
    terminals: createTable({
      groups: {
        device: ({ deviceIdentifier }: Terminal) => deviceIdentifier,
        barber: ({ barberId }: Terminal) => barberId,
      },
    }),
    appointments: createTable<Appointment>(),
    barbers: createTable<Barber>(),
    businesses: createTable<Business>(),
    financialAccounts: createTable({
      groups: { business: ({ businessId }: FinancialAccount) => businessId },
    }),
    schedules: createTable<Schedule>(),
    payoutPreferences: createTable<PayoutPreferences>(),
  };
}

type EntryOf<T> = T extends { entries(): Iterable<infer One> } ? One : never;

/** The content of a Map store at one moment; it never changes. */
export type MapStoreSnapshot = {
  readonly [Name in keyof Tables]: readonly EntryOf<Tables[Name]>[];
};

/** Costs the number of records: they are frozen, so they need no copies. */
export function snapshotOf(tables: Tables): MapStoreSnapshot {
  const contents = Object.entries<Table<unknown>>(tables).map(
    ([name, table]) => [name, [...table.entries()]] as const,
  );
  // cast: each table's records are under its name
  return Object.fromEntries(contents) as unknown as MapStoreSnapshot;
}

/** Puts the records of a snapshot into tables that are empty. */
export function restore(tables: Tables, from: MapStoreSnapshot): void {
  const contents = new Map(Object.entries<readonly Entry<unknown>[]>(from));
  for (const [name, table] of Object.entries<Table<unknown>>(tables)) {
    for (const { id, record } of contents.get(name) ?? []) table.put(id, record);
  }
}

/** The first event of a subject. Only the first can be due. */
export function firstOf({ events }: Tables, subject: string): StoredEvent | undefined {
  const waiting = events.group('subject', subject).map(({ record }) => record);
  return waiting.reduce<StoredEvent | undefined>(
    (first, one) => (first === undefined || compareKeys(one.event, first.event) < 0 ? one : first),
    undefined,
  );
}
