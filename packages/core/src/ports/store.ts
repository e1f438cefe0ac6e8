import type { Appointment, Ledger } from '../domain/appointment.ts';
import type { Barber, Business, FinancialAccount } from '../domain/business.ts';
import type { Dispute, DisputeState } from '../domain/dispute.ts';
import type { DomainEvent } from '../domain/event.ts';
import type { MethodSetup } from '../domain/method-setup.ts';
import type { MoneyBack } from '../domain/money-back.ts';
import type { Payment } from '../domain/payment.ts';
import type { PayoutPreferences } from '../domain/payout-preferences.ts';
import type { Problem } from '../domain/problem.ts';
import type { Refund } from '../domain/refund.ts';
import type { ResultAsync } from '../domain/result.ts';
import type { Review } from '../domain/review.ts';
import type { Schedule } from '../domain/schedule.ts';
import type { Terminal } from '../domain/terminal.ts';
import type { EpochMs } from '../domain/time.ts';

/** The operations with an idempotency key. */
export type KeyedOperation =
  | 'createContactlessPayment'
  | 'captureContactlessPayment'
  | 'preparePaymentMethod'
  | 'refundPayment';

/**
 * The use of a caller's idempotency key. The only change to a record is a `problem` that becomes
 * its final answer; all other answers are derived from the payment (D21).
 */
export interface KeyRecord {
  readonly subject: string;
  readonly key: string;
  readonly operation: KeyedOperation;
  /** SHA-256 over the operation, the path ids and the canonical body, in hex (D19). */
  readonly fingerprint: string;
  /** The payment or setup of the key; absent if the request had no effect to record (D21). */
  readonly resourceId?: string;
  /** The final answer, if it is a problem. */
  readonly problem?: Problem;
  /** When a key without a resource may be deleted. Other keys are deleted with their resource. */
  readonly forgetAt?: EpochMs;
}

/**
 * One change. A commit applies all of its changes or none. The store checks a change's condition
 * when it writes, independent of earlier reads.
 */
export type Change =
  /** Condition: the subject has no such key yet. */
  | { readonly kind: 'insertKey'; readonly record: KeyRecord }
  /** Stores the final problem of a key. Condition: the key has no problem yet. */
  | {
      readonly kind: 'finishKey';
      readonly subject: string;
      readonly key: string;
      readonly problem: Problem;
    }
  /** Removes all keys of a payment or setup. */
  | { readonly kind: 'deleteKeys'; readonly resourceId: string }
  /**
   * Also begins the sweep of its ledger at the processor, if it is the ledger's first payment. Without
   * `ledger` it is the ledger of the payment's account. The sweep begins at `sweepFrom`, without it at
   * the payment's `createdAt`, and was last tried at that time.
   * Condition: no payment has this id.
   */
  | {
      readonly kind: 'insertPayment';
      readonly payment: Payment;
      readonly ledger?: string | undefined;
      readonly sweepFrom?: EpochMs | undefined;
    }
  /** Condition: the stored version is `expectedVersion`. */
  | {
      readonly kind: 'updatePayment';
      readonly payment: Payment;
      readonly expectedVersion: number;
    }
  /** Removes a payment that was never opened. Condition: as above. */
  | { readonly kind: 'deletePayment'; readonly id: string; readonly expectedVersion: number }
  /**
   * Adds these amounts to the appointment's ledger. It begins at zero, and callers never subtract
   * more than it holds. A ledger with zero sums takes this currency; any other keeps its own.
   * Conditions, if the limits are given: afterwards `openPayments` is at most `maxOpenPayments`,
   * and captured plus reserved is at most `maxCommittedMinor`. With `maxCommittedMinor`, the ledger
   * must also be in this currency afterwards (D39).
   */
  | {
      readonly kind: 'moveLedger';
      readonly appointmentId: string;
      readonly openPayments: number;
      readonly reservedMinor: bigint;
      readonly capturedMinor: bigint;
      /** The currency of both amounts and of `maxCommittedMinor`. */
      readonly currency: string;
      readonly maxOpenPayments?: number;
      readonly maxCommittedMinor?: bigint;
    }
  /**
   * The event is due at its `occurredAt` if it is its subject's first; a later one waits for those
   * before it. Condition: no event has this subject and version.
   */
  | { readonly kind: 'appendEvent'; readonly event: DomainEvent }
  /**
   * Leases an event for delivery: counts the attempt, and prevents other leases until `deliverAt`.
   * Condition: it is its subject's first event, is not a dead letter, and had `attempts` attempts
   * so far.
   */
  | {
      readonly kind: 'leaseEvent';
      readonly subject: string;
      readonly version: number;
      readonly attempts: number;
      readonly deliverAt: EpochMs;
    }
  /**
   * Schedules the next attempt at `deliverAt`; without it, the event becomes a dead letter.
   * Condition: it exists, and, if `attempts` is given, had that many attempts, so no other node has
   * leased it since.
   */
  | {
      readonly kind: 'postponeEvent';
      readonly subject: string;
      readonly version: number;
      readonly attempts?: number;
      readonly deliverAt?: EpochMs;
    }
  /**
   * Gives a dead letter a new round of attempts, from `deliverAt` on: it has had none so far.
   * Condition: it is a dead letter.
   */
  | {
      readonly kind: 'reviveEvent';
      readonly subject: string;
      readonly version: number;
      readonly deliverAt: EpochMs;
    }
  /**
   * Removes a delivered or skipped event. The next one of its subject is due at `deliverAt`, unless
   * it is a dead letter, which keeps blocking those behind it. Condition: it exists, is its
   * subject's first and, if `attempts` is given, had that many attempts.
   */
  | {
      readonly kind: 'removeEvent';
      readonly subject: string;
      readonly version: number;
      readonly attempts?: number;
      readonly deliverAt: EpochMs;
    }
  /**
   * Records that a message of the processor was applied. Condition: it was not recorded before
   * (D25).
   */
  | { readonly kind: 'insertProcessorEvent'; readonly id: string; readonly at: EpochMs }
  /**
   * Records a refund or dispute that is reported to the host, for ever. Condition: the account has
   * no record of this kind and id.
   */
  | { readonly kind: 'insertMoneyBack'; readonly moneyBack: MoneyBack }
  /** Condition: no refund has this id. */
  | { readonly kind: 'insertRefund'; readonly refund: Refund }
  /** Condition: the stored version is `expectedVersion`. */
  | {
      readonly kind: 'updateRefund';
      readonly refund: Refund;
      readonly expectedVersion: number;
    }
  /** Removes a refund that the processor never accepted. Condition: as above. */
  | { readonly kind: 'deleteRefund'; readonly id: string; readonly expectedVersion: number }
  /** Condition: no dispute has this id. */
  | { readonly kind: 'insertDispute'; readonly dispute: Dispute }
  /** Condition: the stored version is `expectedVersion`. */
  | {
      readonly kind: 'updateDispute';
      readonly dispute: Dispute;
      readonly expectedVersion: number;
    }
  /** Condition: no review has this id. */
  | { readonly kind: 'insertReview'; readonly review: Review }
  /** Condition: it exists and is open. */
  | {
      readonly kind: 'resolveReview';
      readonly id: string;
      readonly resolvedAt: EpochMs;
      readonly note: string;
    }
  /** Resolves the payment's open reviews with this reason, if there are any. */
  | {
      readonly kind: 'resolvePaymentReviews';
      readonly paymentId: string;
      readonly reason: string;
      readonly resolvedAt: EpochMs;
      readonly note: string;
    }
  /** Condition: no setup has this id. */
  | { readonly kind: 'insertSetup'; readonly setup: MethodSetup }
  /** Condition: the stored version is `expectedVersion`. */
  | {
      readonly kind: 'updateSetup';
      readonly setup: MethodSetup;
      readonly expectedVersion: number;
    }
  /** Condition: as above. */
  | { readonly kind: 'deleteSetup'; readonly id: string; readonly expectedVersion: number }
  /** Stores how far the sweep of a ledger at the processor has come. It may also go back. */
  | { readonly kind: 'putSweep'; readonly swept: SweptLedger }
  /** Condition: neither its id nor its device identifier is registered. */
  | { readonly kind: 'insertTerminal'; readonly terminal: Terminal }
  /** Condition: it exists. */
  | { readonly kind: 'deleteTerminal'; readonly id: string }
  /**
   * Removes expired records, at most `limit` of each type. These are keys without a resource whose
   * `forgetAt` has passed, ids of commits before `commitsBefore`, and ids of processor events
   * before `processorEventsBefore`. It also removes events that have been due and untaken since
   * before `eventsBefore`. The next event of the same subject then counts as due since it occurred,
   * unless it is a dead letter.
   */
  | {
      readonly kind: 'forget';
      readonly now: EpochMs;
      readonly commitsBefore: EpochMs;
      readonly processorEventsBefore: EpochMs;
      readonly eventsBefore: EpochMs;
      readonly limit: number;
    }
  /** Condition: it exists, belongs to the business and is not its default (D30). */
  | {
      readonly kind: 'deleteFinancialAccount';
      readonly businessId: string;
      readonly id: string;
    }
  /** Condition: it exists, belongs to the barber and, where the host owns it, is not in use (D35). */
  | { readonly kind: 'deleteSchedule'; readonly barberId: string; readonly id: string }
  /** Inserts or replaces a record of the host (D35). */
  | { readonly kind: 'putAppointment'; readonly appointment: Appointment }
  | { readonly kind: 'putBarber'; readonly barber: Barber }
  | { readonly kind: 'putBusiness'; readonly business: Business }
  /** If it is the default, the business's other accounts lose that mark. */
  | { readonly kind: 'putFinancialAccount'; readonly account: FinancialAccount }
  | { readonly kind: 'putSchedule'; readonly schedule: Schedule }
  | { readonly kind: 'putPayoutPreferences'; readonly preferences: PayoutPreferences };

export type ChangeKind = Change['kind'];

/** The change of one kind, for a table with an entry for each. */
export type ChangeOf<Kind extends ChangeKind> = Extract<Change, { readonly kind: Kind }>;

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

export type Read<T> = ResultAsync<T, StoreUnavailable>;

/** Identifies one event. */
export interface EventKey {
  readonly subject: string;
  readonly version: number;
}

/** An event that was not delivered yet. */
export interface PendingEvent {
  readonly event: DomainEvent;
  /** The number of deliveries begun. */
  readonly attempts: number;
}

/** A ledger at the processor, and how far its payments were swept (D27). */
export interface SweptLedger {
  /** An account, or the ledger that several accounts share. */
  readonly ledger: string;
  /**
   * All payments opened before this were checked; initially, when the ledger's first payment was
   * begun.
   */
  readonly sweptBefore: EpochMs;
  /** Time of the last attempt; initially `sweptBefore`. */
  readonly triedAt: EpochMs;
}

/** Changes that are applied together. */
export interface Commit {
  /**
   * Unique, at most 255 code points. It is written with the changes, so that a lost reply can be read
   * back.
   */
  readonly id: string;
  /** When it was made, by the clock port. */
  readonly at: EpochMs;
  readonly changes: readonly Change[];
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
  readonly appointments: { get(id: string): Read<Appointment | undefined> };
  readonly barbers: { get(id: string): Read<Barber | undefined> };
  readonly businesses: { get(id: string): Read<Business | undefined> };
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
  };
  readonly keys: { get(subject: string, key: string): Read<KeyRecord | undefined> };
  readonly events: {
    /** The first event of each subject, if it is due; the longest due first. */
    listDue(now: EpochMs, limit: number): Read<readonly PendingEvent[]>;
    /** Dead letters in order of subject and version, after the given one. */
    listDead(limit: number, after?: EventKey): Read<readonly PendingEvent[]>;
  };
  readonly processorEvents: { has(id: string): Read<boolean> };
  readonly moneyBacks: {
    /** Whether a refund or dispute is recorded. */
    has(account: string, kind: MoneyBack['kind'], id: string): Read<boolean>;
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
  readonly reviews: {
    get(id: string): Read<Review | undefined>;
    /** Open or resolved reviews, ordered by id, after the given one. */
    list(state: 'open' | 'resolved', limit: number, after?: string): Read<readonly Review[]>;
  };
  readonly setups: {
    get(id: string): Read<MethodSetup | undefined>;
    /** Setups whose `nextCheckAt` has passed, the longest overdue first. */
    listDue(now: EpochMs, limit: number): Read<readonly MethodSetup[]>;
    listByCustomer(customerId: string, limit: number): Read<readonly MethodSetup[]>;
  };
  readonly sweeps: {
    /**
     * Ledgers that were swept at most this far, the one with the oldest attempt first.
     */
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
  commit(commit: Commit): ResultAsync<void, StoreConflict | StoreUnavailable>;
  /**
   * Whether the commit with this id was written, which settles an `unknown` (D22). `true` means
   * durable. `false` means that it will never be applied. The store waits while a commit is
   * running, or a server may still apply one whose reply was lost. If that cannot be decided, it
   * returns `storeUnavailable`.
   */
  wasCommitted(id: string): Read<boolean>;
  /** Waits for running calls, then closes the database. Later calls return `storeUnavailable`. */
  close(): Promise<void>;
}
