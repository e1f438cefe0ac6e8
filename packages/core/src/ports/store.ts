import type { Appointment, Ledger } from '../domain/appointment.ts';
import type {
  Barber,
  Business,
  FinancialAccount,
  PayoutPreferences,
  Schedule,
} from '../domain/business.ts';
import type { Span } from '../domain/business-day.ts';
import type { Dispute, DisputeState } from '../domain/dispute.ts';
import type { DomainEvent } from '../domain/event.ts';
import type { KeyRecord } from '../domain/key-record.ts';
import type { MethodSetup } from '../domain/method-setup.ts';
import type { Movement } from '../domain/movement.ts';
import type { Payment } from '../domain/payment.ts';
import type { Refund, Returned } from '../domain/refund.ts';
import type { ResultAsync } from '../domain/result.ts';
import type { Review } from '../domain/review.ts';
import type { Payout, SettlementEntry } from '../domain/settlement.ts';
import type { SweptLedger } from '../domain/swept-ledger.ts';
import type { Terminal } from '../domain/terminal.ts';
import type { EpochMs } from '../domain/time.ts';
import type { ChangeKind, Commit, EventKey } from './change.ts';

/** A condition failed; no change of the commit was applied. */
export interface StoreConflict {
  readonly kind: 'storeConflict';
  /** The first change whose condition failed. */
  readonly change: ChangeKind;
}

/**
 * The store failed. `notApplied`: it is certain that no attempt under this id has written or will
 * write a change. `unknown`: the changes may have been written. The outcome of a failed read is
 * `notApplied`.
 */
export interface StoreUnavailable {
  readonly kind: 'storeUnavailable';
  readonly outcome: 'notApplied' | 'unknown';
  /** Why, for a person. It must hold no stored values. */
  readonly cause?: unknown;
}

/** Why a commit failed. */
export type CommitError = StoreConflict | StoreUnavailable;

/** The result of a read. A failed read changes nothing. */
export type Read<T> = ResultAsync<T, StoreUnavailable>;

/** An event that was not delivered yet. */
export interface PendingEvent {
  readonly event: DomainEvent;
  /** The number of deliveries begun. */
  readonly attempts: number;
}

/**
 * The storage of Chairside's records. An implementation promises:
 * - atomic: all changes of a commit or none, also after a crash;
 * - durable: a resolved commit survives power loss;
 * - read your writes: a read that begins after a commit resolved sees it, on every node;
 * - conditions are checked when the change is applied, and a failed one prevents the whole commit;
 * - one effect: a repeated commit id returns `ok` without another write, for at least an hour;
 * - no call throws, and every call ends within a minute, even if a server is silent;
 * - ids and subjects of up to 255 code points are kept as they are. Lists by id or subject have one
 *   fixed order of texts, any one. `newest` is by `createdAt`; ties have any order.
 *
 * There is no callback transaction, so that no transaction stays open across an `await`, and a
 * store may group many commits into one flush. A host that owns a group of records (its
 * appointments, say) replaces that group: `{ ...store, appointments: mine }`. Its `get` must not
 * read from a replica or a cache, because the amount due is compared with it before each capture
 * (D13).
 */
export interface Store {
  readonly appointments: {
    get(id: string): Read<Appointment | undefined>;
    /**
     * The appointment that a payment belongs to, for a step that reads both together. A host that
     * keeps appointments elsewhere omits it, and its `get` is called instead.
     */
    getByPayment?(paymentId: string): Read<Appointment | undefined>;
  };
  readonly barbers: { get(id: string): Read<Barber | undefined> };
  readonly businesses: {
    get(id: string): Read<Business | undefined>;
    /**
     * The business that an appointment belongs to, for a step that reads both together. A host that
     * keeps businesses elsewhere omits it, and its `get` is called instead.
     */
    getByAppointment?(appointmentId: string): Read<Business | undefined>;
  };
  readonly ledgers: {
    /** Zero for an appointment without payments. */
    get(appointmentId: string): Read<Ledger>;
  };
  readonly payments: {
    get(id: string): Read<Payment | undefined>;
    /**
     * The appointment's newest payments, oldest first, unopened ones included.
     * @param businessId if given, only payments of this business; the limit counts only these.
     */
    listByAppointment(
      appointmentId: string,
      limit: number,
      businessId?: string,
    ): Read<readonly Payment[]>;
    /**
     * Payments whose `nextCheckAt` has passed, the longest overdue first. The cost depends only on
     * the number of results.
     */
    listDue(now: EpochMs, limit: number): Read<readonly Payment[]>;
    /** The business's payments whose `capturedAt` is in the span, in its order. */
    listCaptured(businessId: string, span: Span, limit: number): Read<readonly Payment[]>;
  };
  readonly keys: { get(subject: string, key: string): Read<KeyRecord | undefined> };
  readonly events: {
    /** The first event of each subject, if it is due; the longest due first. */
    listDue(now: EpochMs, limit: number): Read<readonly PendingEvent[]>;
    /** Dead letters in order of subject and version, after the given one. */
    listDead(limit: number, after?: EventKey): Read<readonly PendingEvent[]>;
  };
  readonly processorEvents: { has(id: string): Read<boolean> };
  readonly returned: {
    /** Whether a refund or dispute is recorded. */
    has(account: string, kind: Returned['kind'], id: string): Read<boolean>;
  };
  readonly refunds: {
    get(id: string): Read<Refund | undefined>;
    /** The payment's refunds in order of their ids, which begin with a time. */
    listByPayment(paymentId: string, limit: number): Read<readonly Refund[]>;
    /** Refunds whose `nextCheckAt` has come, the longest overdue first. */
    listDue(now: EpochMs, limit: number): Read<readonly Refund[]>;
  };
  readonly disputes: {
    get(id: string): Read<Dispute | undefined>;
    /** The payment's disputes in order of their ids. */
    listByPayment(paymentId: string, limit: number): Read<readonly Dispute[]>;
    /** Disputes in this state in order of their ids, after the given one. */
    list(state: DisputeState, limit: number, after?: string): Read<readonly Dispute[]>;
  };
  readonly movements: {
    /** The business's movements of a span, in order of time. */
    list(businessId: string, span: Span, limit: number): Read<readonly Movement[]>;
    listByPayment(paymentId: string, limit: number): Read<readonly Movement[]>;
  };
  readonly settlements: {
    /** The entries of the business's payments in a span, in order of time. */
    list(businessId: string, span: Span, limit: number): Read<readonly SettlementEntry[]>;
    /** The account's entries of a span that name no business, in order of time. */
    listUnknown(account: string, span: Span, limit: number): Read<readonly SettlementEntry[]>;
    listByPayment(paymentId: string, limit: number): Read<readonly SettlementEntry[]>;
  };
  readonly payouts: {
    get(id: string): Read<Payout | undefined>;
    /** The account's payouts that arrive in a span, in order of that time. */
    list(account: string, span: Span, limit: number): Read<readonly Payout[]>;
  };
  readonly reviews: {
    get(id: string): Read<Review | undefined>;
    /** Open or resolved reviews, ordered by id, after the given one. */
    list(state: 'open' | 'resolved', limit: number, after?: string): Read<readonly Review[]>;
    /** The open reviews of an account with this reason, ordered by id. */
    listOpenOf(account: string, reason: Review['reason'], limit: number): Read<readonly Review[]>;
  };
  readonly setups: {
    get(id: string): Read<MethodSetup | undefined>;
    /** Setups whose `nextCheckAt` has passed, the longest overdue first. */
    listDue(now: EpochMs, limit: number): Read<readonly MethodSetup[]>;
    /** The customer's newest setups, oldest first. */
    listByCustomer(customerId: string, limit: number): Read<readonly MethodSetup[]>;
  };
  readonly sweeps: {
    get(ledger: string): Read<SweptLedger | undefined>;
    /** Ledgers that were swept at most this far, the one with the oldest attempt first. */
    listStale(sweptBefore: EpochMs, limit: number): Read<readonly SweptLedger[]>;
  };
  readonly financialAccounts: { get(id: string): Read<FinancialAccount | undefined> };
  readonly schedules: { get(id: string): Read<Schedule | undefined> };
  readonly payoutPreferences: { get(businessId: string): Read<PayoutPreferences | undefined> };
  readonly terminals: {
    get(id: string): Read<Terminal | undefined>;
    getByDeviceIdentifier(deviceIdentifier: string): Read<Terminal | undefined>;
    /** The barber's newest terminals, oldest first. */
    listByBarber(barberId: string, limit: number): Read<readonly Terminal[]>;
  };
  /**
   * The time of the clock that all nodes share, the database server's. Upkeep measures age by it,
   * so that a node with a wrong clock does not cancel or delete too early (D42). Embedded databases
   * omit it, because they have only the node's clock.
   */
  now?(): Read<EpochMs>;
  commit(commit: Commit): ResultAsync<void, CommitError>;
  /**
   * Whether the commit with this id was written, which settles an `unknown` (D22). `true` means
   * durable. `false` means that it will never be applied: the store records the id as denied, and
   * a later commit of this id returns `storeUnavailable`, `notApplied`, on every node (D150). The
   * record is removed as ids of commits are. The store waits while it runs a commit of this id. If
   * it cannot decide, it returns `storeUnavailable`.
   */
  wasCommitted(id: string): Read<boolean>;
  /** Waits for running calls, then closes the database. Later calls return `storeUnavailable`. */
  close(): Promise<void>;
}
