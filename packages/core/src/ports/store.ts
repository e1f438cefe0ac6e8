import type { Appointment, Ledger } from '../domain/appointment.ts';
import type { Barber, Business, FinancialAccount } from '../domain/business.ts';
import type { DomainEvent } from '../domain/event.ts';
import type { MethodSetup } from '../domain/method-setup.ts';
import type { MoneyBack } from '../domain/money-back.ts';
import type { Payment } from '../domain/payment.ts';
import type { PayoutPreferences } from '../domain/payout-preferences.ts';
import type { Problem } from '../domain/problem.ts';
import type { ResultAsync } from '../domain/result.ts';
import type { Review } from '../domain/review.ts';
import type { Schedule } from '../domain/schedule.ts';
import type { Terminal } from '../domain/terminal.ts';
import type { EpochMs } from '../domain/time.ts';

/** The operations that take an idempotency key. */
export type KeyedOperation =
  | 'createContactlessPayment'
  | 'captureContactlessPayment'
  | 'preparePaymentMethod';

/**
 * What a caller's idempotency key was used for. It is never changed but for a `problem` that
 * becomes its final answer: every other answer follows from the payment (D21).
 */
export interface KeyRecord {
  readonly subject: string;
  readonly key: string;
  readonly operation: KeyedOperation;
  /** SHA-256 over the operation, the path ids and the canonical body, in hex (D19). */
  readonly fingerprint: string;
  /** The payment or setup it was used for; absent where there was nothing to do (D21). */
  readonly resourceId?: string;
  /** The final answer, where that is a problem. */
  readonly problem?: Problem;
  /** When a key without a record may be forgotten; others go with their record. */
  readonly forgetAt?: EpochMs;
}

/**
 * One change. All changes of a commit are applied, or none. Where a change has a condition, the
 * store checks it at the moment of writing, whatever was read before.
 */
export type Change =
  /** Condition: the subject has no such key yet. */
  | { readonly kind: 'insertKey'; readonly record: KeyRecord }
  /** Gives a key its final problem. Condition: it has none yet. */
  | {
      readonly kind: 'finishKey';
      readonly subject: string;
      readonly key: string;
      readonly problem: Problem;
    }
  /** Removes all keys of a payment or setup. */
  | { readonly kind: 'deleteKeys'; readonly resourceId: string }
  /**
   * Also begins the sweep of its processor account, if it is the account's first.
   * Condition: no payment has this id.
   */
  | { readonly kind: 'insertPayment'; readonly payment: Payment }
  /** Condition: the stored version is `expectedVersion`. */
  | {
      readonly kind: 'updatePayment';
      readonly payment: Payment;
      readonly expectedVersion: number;
    }
  /** Removes a payment that was never opened. Condition: as above. */
  | { readonly kind: 'deletePayment'; readonly id: string; readonly expectedVersion: number }
  /**
   * Moves the appointment's ledger by these amounts. It begins at zero, and nobody takes more away
   * from it than is there. A ledger whose sums were zero takes this currency; another one keeps its own.
   * Condition: afterwards, `openPayments` is at most `maxOpenPayments`, and captured and reserved
   * together are at most `maxCommittedMinor`, where those are given. A ledger that is given
   * `maxCommittedMinor` must also be in this currency afterwards (D39).
   */
  | {
      readonly kind: 'moveLedger';
      readonly appointmentId: string;
      readonly openPayments: number;
      readonly reservedMinor: bigint;
      readonly capturedMinor: bigint;
      /** Of both amounts, and of `maxCommittedMinor`. */
      readonly currency: string;
      readonly maxOpenPayments?: number;
      readonly maxCommittedMinor?: bigint;
    }
  /** Condition: no event has this subject and version. */
  | { readonly kind: 'appendEvent'; readonly event: DomainEvent }
  /**
   * Takes an event up for delivery: counts the attempt, and nobody else takes it up before
   * `deliverAt`. Condition: it is its subject's first, is no dead letter, and was attempted
   * `attempts` times so far.
   */
  | {
      readonly kind: 'leaseEvent';
      readonly subject: string;
      readonly version: number;
      readonly attempts: number;
      readonly deliverAt: EpochMs;
    }
  /**
   * Tries again at `deliverAt`; without one the event is a dead letter. Condition: it exists, and was
   * taken up `attempts` times where that is given: nobody else has taken it up since.
   */
  | {
      readonly kind: 'postponeEvent';
      readonly subject: string;
      readonly version: number;
      readonly attempts?: number;
      readonly deliverAt?: EpochMs;
    }
  /**
   * Gives a dead letter another round of attempts, from `deliverAt` on.
   * Condition: it is a dead letter.
   */
  | {
      readonly kind: 'reviveEvent';
      readonly subject: string;
      readonly version: number;
      readonly deliverAt: EpochMs;
    }
  /**
   * Removes a delivered or skipped event; its subject's next one is due at `deliverAt`. If that is a
   * dead letter it stays one, and what is behind it waits.
   * Condition: it exists, is its subject's first, and was taken up `attempts` times where that is
   * given.
   */
  | {
      readonly kind: 'removeEvent';
      readonly subject: string;
      readonly version: number;
      readonly attempts?: number;
      readonly deliverAt: EpochMs;
    }
  /** Notes that a message of the processor took effect. Condition: it had not (D25). */
  | { readonly kind: 'insertProcessorEvent'; readonly id: string; readonly at: EpochMs }
  /**
   * Remembers a refund or dispute that is told to the host. It is never forgotten.
   * Condition: none of this kind and id was remembered for this account.
   */
  | { readonly kind: 'insertMoneyBack'; readonly moneyBack: MoneyBack }
  /** Condition: no review has this id. */
  | { readonly kind: 'insertReview'; readonly review: Review }
  /** Condition: it exists and is open. */
  | {
      readonly kind: 'resolveReview';
      readonly id: string;
      readonly resolvedAt: EpochMs;
      readonly note: string;
    }
  /** Resolves the payment's open reviews of this reason, if there are any. */
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
  /** Remembers how far a sweep of a processor account has come. */
  | { readonly kind: 'putSweep'; readonly swept: SweptAccount }
  /** Condition: neither its id nor its device identifier is registered. */
  | { readonly kind: 'insertTerminal'; readonly terminal: Terminal }
  /** Condition: it exists. */
  | { readonly kind: 'deleteTerminal'; readonly id: string }
  /**
   * Removes keys without a record whose `forgetAt` has come, ids of commits written before
   * `commitsBefore`, ids of processor events before `processorEventsBefore`, and events that have
   * been due since before `eventsBefore` and nobody took; at most `limit` of each. What stood behind
   * such an event has then been due since it occurred, if it is no dead letter.
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
  /** If it is the default, the business's other accounts are no longer. */
  | { readonly kind: 'putFinancialAccount'; readonly account: FinancialAccount }
  | { readonly kind: 'putSchedule'; readonly schedule: Schedule }
  | { readonly kind: 'putPayoutPreferences'; readonly preferences: PayoutPreferences };

export type ChangeKind = Change['kind'];

/** A condition did not hold; nothing of the commit was applied. */
export interface StoreConflict {
  readonly kind: 'storeConflict';
  /** The first change whose condition failed. */
  readonly change: ChangeKind;
}

/**
 * The store could not say. `notApplied`: it is certain that nothing was written; `unknown`: it may
 * have been. For a read the outcome is `notApplied`.
 */
export interface StoreUnavailable {
  readonly kind: 'storeUnavailable';
  readonly outcome: 'notApplied' | 'unknown';
}

export type Read<T> = ResultAsync<T, StoreUnavailable>;

/** Names one event. */
export interface EventKey {
  readonly subject: string;
  readonly version: number;
}

/** An event that was not delivered yet. */
export interface PendingEvent {
  readonly event: DomainEvent;
  /** How often delivery was begun. */
  readonly attempts: number;
}

/** A processor account, and how far its payments were swept (D27). */
export interface SweptAccount {
  readonly account: string;
  /** All that was opened before this was looked at; at first, when its first payment was begun. */
  readonly sweptBefore: EpochMs;
  /** When a sweep last tried, whatever came of it; at first the same. */
  readonly triedAt: EpochMs;
}

/** Changes that belong together. */
export interface Commit {
  /** Unique; written with the changes, so that a lost reply is read back and not guessed. */
  readonly id: string;
  /** When it was made, by the clock port. */
  readonly at: EpochMs;
  readonly changes: readonly Change[];
}

/**
 * Where Chairside keeps its records. An implementation promises:
 * - atomic: all changes of a commit, or none, also after a crash;
 * - durable: a commit that resolved survives power loss;
 * - read your writes: a read that begins after a commit resolved sees it, on every node;
 * - conditions are checked where the change is applied, and one that fails changes nothing;
 * - one effect: a commit whose id was written already is answered `ok` and not applied again, for
 *   at least an hour;
 * - nothing throws, and every call ends.
 *
 * There is no callback transaction: nothing can hold one open across an `await`, and a store may
 * group many commits into one flush. A host that owns a group of records (its appointments, say)
 * replaces that group: `{ ...store, appointments: mine }`. Its `get` reads neither a replica nor a cache:
 * what is due is compared with it before each capture (D13).
 */
export interface Store {
  readonly appointments: { get(id: string): Read<Appointment | undefined> };
  readonly barbers: { get(id: string): Read<Barber | undefined> };
  readonly businesses: { get(id: string): Read<Business | undefined> };
  readonly ledgers: {
    /** Zero for an appointment that has had no payment. */
    get(appointmentId: string): Read<Ledger>;
  };
  readonly payments: {
    get(id: string): Read<Payment | undefined>;
    /**
     * The appointment's newest payments, oldest first; those not opened yet included.
     * @param businessId only payments of this business, if given: the limit counts no others.
     */
    listByAppointment(
      appointmentId: string,
      limit: number,
      businessId?: string,
    ): Read<readonly Payment[]>;
    /** Payments whose `nextCheckAt` has come, the longest overdue first. Cost: the answer's size. */
    listDue(now: EpochMs, limit: number): Read<readonly Payment[]>;
  };
  readonly keys: { get(subject: string, key: string): Read<KeyRecord | undefined> };
  readonly events: {
    /** Each subject's first event, where it is due; the longest due first. */
    listDue(now: EpochMs, limit: number): Read<readonly PendingEvent[]>;
    /** Dead letters in order of subject and version, after the given one. */
    listDead(limit: number, after?: EventKey): Read<readonly PendingEvent[]>;
  };
  readonly processorEvents: { has(id: string): Read<boolean> };
  readonly moneyBacks: {
    /** Whether a refund or dispute was remembered. */
    has(account: string, kind: MoneyBack['kind'], id: string): Read<boolean>;
  };
  readonly reviews: {
    get(id: string): Read<Review | undefined>;
    /** Open or resolved reviews in order of their ids, after the given one. */
    list(state: 'open' | 'resolved', limit: number, after?: string): Read<readonly Review[]>;
  };
  readonly setups: {
    get(id: string): Read<MethodSetup | undefined>;
    /** Setups whose `nextCheckAt` has come, the longest overdue first. */
    listDue(now: EpochMs, limit: number): Read<readonly MethodSetup[]>;
    listByCustomer(customerId: string, limit: number): Read<readonly MethodSetup[]>;
  };
  readonly sweeps: {
    /**
     * The processor accounts whose payments were swept no further than this, the one that was tried
     * longest ago first.
     */
    listStale(sweptBefore: EpochMs, limit: number): Read<readonly SweptAccount[]>;
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
   * The time by the clock that all nodes share: that of the database server. Upkeep decides age by it,
   * so that a node whose clock is off cancels and forgets nothing too early (D42). Left out where the
   * database runs inside the process and has no other clock than the node's.
   */
  now?(): Read<EpochMs>;
  commit(commit: Commit): ResultAsync<void, StoreConflict | StoreUnavailable>;
  /**
   * Whether the commit of this id was written: settles an `unknown` (D22). `true` is said only of
   * what is durable. `false` is never said of what may still be applied: while a commit that was
   * given to this store is under way, or its answer was lost and a server may yet carry it out, the
   * store waits until that is decided, or answers `storeUnavailable`.
   */
  wasCommitted(id: string): Read<boolean>;
  /** Waits for what runs, then lets go of the database. Later calls answer `storeUnavailable`. */
  close(): Promise<void>;
}
