import type { DomainEvent } from '../event/event.ts';
import type { Actor, KeyRecord } from '../frame/record.ts';
import type {
  Appointment,
  Barber,
  Business,
  FinancialAccount,
  Ledger,
  PayoutPreferences,
  Schedule,
} from '../host/host.ts';
import type { Payment } from '../payment/payment.ts';
import type { Problem } from '../problems/problem.ts';
import type { Dispute, DisputeState } from '../refund/dispute.ts';
import type { Movement } from '../refund/movement.ts';
import type { Refund } from '../refund/refund.ts';
import type { MethodSetup } from '../setup/setup.ts';
import type { ShareEntry } from '../share/share.ts';
import type { Payout, PayoutSum, SettlementEntry } from '../statement/settlement.ts';
import type { Tender } from '../tender/tender.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { Review } from '../upkeep/review.ts';
import type { SweptBooks } from '../upkeep/swept-books.ts';
import type { ResultAsync } from '../values/result.ts';
import type { EpochMs, Span } from '../values/time.ts';

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

/** The result of a read. A failed read changes nothing. A store makes all reads of one turn together. */
export type Read<T> = ResultAsync<T, StoreUnavailable>;

/** A database, as an operator wants to know it. It holds no address and no secret. */
export interface StoreAbout {
  /** Its name and version, such as `SQLite 3.51.0`. */
  readonly product: string;
  /** The number of the last migration. */
  readonly schemaVersion: number;
  /** The settings on which durability depends, by their own names. */
  readonly settings: Readonly<Record<string, string>>;
  /** Why acknowledged commits may be lost or refused, in words. Absent if nothing is wrong. */
  readonly fault?: string;
}

/** An event that was not delivered yet. */
export interface PendingEvent {
  readonly event: DomainEvent;
  /** The number of deliveries begun. */
  readonly attempts: number;
}

/**
 * What a store remembers for good under a name: the world that it belongs to, for example.
 */
export interface Fact {
  readonly name: string;
  /** Rises by one with every change, from 1. */
  readonly version: number;
  /** A JSON document. */
  readonly text: string;
}

/**
 * The storage of Chairside's records. An implementation promises:
 * - atomic: all changes of a commit or none, also after a crash;
 * - durable: a resolved commit survives power loss;
 * - read your writes: a read that begins after a commit resolved sees it, on every node;
 * - conditions are checked when the change is applied, and a failed one prevents the whole commit;
 * - one effect: a repeated commit id returns `ok` without another write, for at least an hour;
 * - a list is empty if its `limit` is 0 or below;
 * - no call throws, and every call ends within a minute, even if a server is silent;
 * - ids and subjects of up to 255 code points are kept as they are. Lists by id or subject have one
 *   fixed order of texts, any one. `newest` is by `createdAt`; ties have any order.
 *
 * There is no callback transaction, so that no transaction stays open across an `await`, and a
 * store may group many commits into one flush. A host that owns a group of records (its
 * appointments, say) replaces that group: `{ ...store, appointments: mine }`. Its `get` must not
 * read from a replica or a cache, because the amount due is compared with it before each capture.
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
     * Payments whose `nextCheckAt` has passed, the longest overdue first, and after them those whose
     * time is more than `longestWaitMs` (73 hours) ahead, because a wrong clock has written it. The cost
     * depends only on the number of results.
     */
    listDue(now: EpochMs, limit: number): Read<readonly Payment[]>;
    /**
     * The business's payments that are neither captured nor canceled and have a `nextCheckAt`, the next to check
     * first.
     */
    listOpen(businessId: string, limit: number): Read<readonly Payment[]>;
    /** The business's payments whose `capturedAt` is in the span, in its order. */
    listCaptured(businessId: string, span: Span, limit: number): Read<readonly Payment[]>;
    /** All payments in order of their ids, after the given one. */
    listAll(limit: number, after?: string): Read<readonly Payment[]>;
  };
  readonly keys: { get(subject: string, key: string): Read<KeyRecord | undefined> };
  readonly events: {
    /** The first event of each subject, if it is due; the longest due first. */
    listDue(now: EpochMs, limit: number): Read<readonly PendingEvent[]>;
    /** Dead letters in order of subject and version, after the given one. */
    listDead(limit: number, after?: EventKey): Read<readonly PendingEvent[]>;
  };
  readonly processorEvents: { has(id: string): Read<boolean> };
  readonly refunds: {
    get(id: string): Read<Refund | undefined>;
    /** The payment's refunds in order of their ids, which begin with a time. */
    listByPayment(paymentId: string, limit: number): Read<readonly Refund[]>;
    /** Refunds that are due, as payments are. */
    listDue(now: EpochMs, limit: number): Read<readonly Refund[]>;
  };
  readonly disputes: {
    get(id: string): Read<Dispute | undefined>;
    /** The payment's disputes in order of their ids. */
    listByPayment(paymentId: string, limit: number): Read<readonly Dispute[]>;
    /** Disputes in this state in order of their ids, after the given one. */
    list(state: DisputeState, limit: number, after?: string): Read<readonly Dispute[]>;
  };
  readonly tenders: {
    get(id: string): Read<Tender | undefined>;
    /** The appointment's newest tenders with their returns and voids, oldest first. */
    listByAppointment(appointmentId: string, limit: number): Read<readonly Tender[]>;
    /** What was given back in cash for a card payment, in order of time. */
    listByPayment(paymentId: string, limit: number): Read<readonly Tender[]>;
    /** The business's tenders, returns and voids of a span, in order of time. */
    list(businessId: string, span: Span, limit: number): Read<readonly Tender[]>;
    /** All tenders, returns and voids in order of their ids, after the given one. */
    listAll(limit: number, after?: string): Read<readonly Tender[]>;
  };
  readonly shares: {
    get(id: string): Read<ShareEntry | undefined>;
    /** The appointment's newest entries, oldest first. */
    listByAppointment(appointmentId: string, limit: number): Read<readonly ShareEntry[]>;
    /** What visits and barbers gained and lost of a payment, in order of time. */
    listByPayment(paymentId: string, limit: number): Read<readonly ShareEntry[]>;
    /** The business's entries of a span, in order of time. */
    list(businessId: string, span: Span, limit: number): Read<readonly ShareEntry[]>;
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
    /**
     * What the entries of a payout add up to, one sum for each kind. An entry that names no business
     * belongs to its payment's; it also counts while no payment has a record.
     */
    sumOfPayout(payoutId: string, businessId: string): Read<readonly PayoutSum[]>;
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
    /** The payment's reviews, open or resolved, ordered by id. */
    listByPayment(paymentId: string, limit: number): Read<readonly Review[]>;
  };
  readonly setups: {
    get(id: string): Read<MethodSetup | undefined>;
    /** Setups that are due, as payments are. */
    listDue(now: EpochMs, limit: number): Read<readonly MethodSetup[]>;
    /** The customer's newest setups, oldest first. */
    listByCustomer(customerId: string, limit: number): Read<readonly MethodSetup[]>;
  };
  readonly sweeps: {
    get(books: string): Read<SweptBooks | undefined>;
    /** Books that were swept at most this far, the one with the oldest attempt first. */
    listStale(sweptBefore: EpochMs, limit: number): Read<readonly SweptBooks[]>;
  };
  readonly financialAccounts: { get(id: string): Read<FinancialAccount | undefined> };
  readonly schedules: { get(id: string): Read<Schedule | undefined> };
  readonly payoutPreferences: { get(businessId: string): Read<PayoutPreferences | undefined> };
  readonly actors: {
    get(number: number): Read<Actor | undefined>;
    getBySubject(subject: string): Read<Actor | undefined>;
  };
  readonly terminals: {
    get(id: string): Read<Terminal | undefined>;
    getByDeviceIdentifier(deviceIdentifier: string): Read<Terminal | undefined>;
    /** The barber's newest terminals, oldest first. */
    listByBarber(barberId: string, limit: number): Read<readonly Terminal[]>;
    /** All terminals in order of their ids, after the given one. */
    listAll(limit: number, after?: string): Read<readonly Terminal[]>;
  };
  readonly facts: { get(name: string): Read<Fact | undefined> };
  /**
   * The time of the clock that all nodes share, the database server's. Upkeep measures age by it,
   * so that a node with a wrong clock does not cancel or delete too early. Embedded databases
   * omit it, because they have only the node's clock.
   */
  now?(): Read<EpochMs>;
  /** What the database is, for an operator. A store without one, such as a map, omits it. */
  about?(): Read<StoreAbout>;
  commit(commit: Commit): ResultAsync<void, CommitError>;
  /**
   * Whether the commit with this id was written, which ends an `unknown`. `true` means
   * durable. `false` means that it will never be applied: the store records the id as denied, and
   * a later commit of this id returns `storeUnavailable`, `notApplied`, on every node. The
   * record is removed as ids of commits are. The store waits while it runs a commit of this id. If
   * it cannot decide, it returns `storeUnavailable`.
   */
  wasCommitted(id: string): Read<boolean>;
  /** Waits for running calls, then closes the database. Later calls return `storeUnavailable`. */
  close(): Promise<void>;
}

/** Inserts a record. Condition: no record has its id. */
type Insert<Name extends string, T> = {
  readonly kind: `insert${Capitalize<Name>}`;
} & { readonly [Member in Name]: T };

/** Replaces a record. Condition: the stored version is `expectedVersion`. */
type Update<Name extends string, T> = {
  readonly kind: `update${Capitalize<Name>}`;
  readonly expectedVersion: number;
} & { readonly [Member in Name]: T };

/** Deletes a record. Condition: the stored version is `expectedVersion`. */
interface Delete<Name extends string> {
  readonly kind: `delete${Capitalize<Name>}`;
  readonly id: string;
  readonly expectedVersion: number;
}

/** Inserts or replaces a record of the host. */
type Put<Name extends string, T> = {
  readonly kind: `put${Capitalize<Name>}`;
} & { readonly [Member in Name]: T };

/** Identifies one event. */
export interface EventKey {
  readonly subject: string;
  readonly version: number;
}

/** A change of one event. */
interface OfEvent<Kind extends string> extends EventKey {
  readonly kind: Kind;
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
  /** Removes all keys of a payment, setup or refund. */
  | { readonly kind: 'deleteKeys'; readonly resourceId: string }
  /**
   * Also begins the sweep of its books at the processor, if it is their first payment. Without
   * `books` it is the books of the payment's account. The sweep begins at `sweepFrom`, without it at
   * the payment's `createdAt`, and was last tried at that time.
   */
  | (Insert<'payment', Payment> & {
      readonly books?: string | undefined;
      readonly sweepFrom?: EpochMs | undefined;
    })
  | Update<'payment', Payment>
  | Delete<'payment'>
  /**
   * Adds these amounts to the appointment's ledger. It begins at zero, and callers never subtract
   * more than it holds. A ledger with zero sums takes this currency; any other keeps its own.
   * Conditions, if the limits are given: afterwards `openPayments` is at most `maxOpenPayments`,
   * and captured, reserved and tendered are together at most `maxCommittedMinor`. With `maxCommittedMinor`, the ledger
   * must also be in this currency afterwards. The tips are afterwards at most `maxTipsMinor`, and what was captured
   * and tendered is at least `minPaidMinor`.
   */
  | {
      readonly kind: 'moveLedger';
      readonly appointmentId: string;
      readonly openPayments: number;
      readonly reservedMinor: bigint;
      readonly capturedMinor: bigint;
      /** Default: zero. */
      readonly tenderedMinor?: bigint;
      /** Tips that are captured or reserved. No other sum has them. Default: zero. */
      readonly tipsMinor?: bigint;
      /** The currency of the amounts and of `maxCommittedMinor`. */
      readonly currency: string;
      readonly maxOpenPayments?: number;
      readonly maxCommittedMinor?: bigint;
      readonly maxTipsMinor?: bigint;
      readonly minPaidMinor?: bigint;
    }
  /**
   * Moves the ledger's one slot for a charge. The ledger exists.
   * - `claim`: the charge takes the slot. Condition: no charge holds it.
   * - `keep`: takes it too, unless another charge holds it.
   * - `free`: gives the slot up, if this charge holds it.
   */
  | {
      readonly kind: 'moveSlot';
      readonly appointmentId: string;
      readonly chargeId: string;
      readonly move: 'claim' | 'keep' | 'free';
    }
  /**
   * The first event of a subject is due at its `occurredAt`. A later event waits for the events
   * before it. Condition: no event has this subject and version.
   */
  | { readonly kind: 'appendEvent'; readonly event: DomainEvent }
  /**
   * Leases an event for delivery: counts the attempt, and prevents other leases until `deliverAt`.
   * Condition: it is its subject's first event, is not a dead letter, and had `attempts` attempts
   * so far.
   */
  | (OfEvent<'leaseEvent'> & { readonly attempts: number; readonly deliverAt: EpochMs })
  /**
   * Schedules the next attempt at `deliverAt`; without it, the event becomes a dead letter. A dead letter
   * with `deliverAt` is none any more, and keeps its attempts. Condition: it exists, and, if `attempts` is given, had that many attempts, so no other node has
   * leased it since.
   */
  | (OfEvent<'postponeEvent'> & { readonly attempts?: number; readonly deliverAt?: EpochMs })
  /**
   * Gives a dead letter a new round of attempts, from `deliverAt` on: it has had none so far.
   * Condition: it is a dead letter.
   */
  | (OfEvent<'reviveEvent'> & { readonly deliverAt: EpochMs })
  /**
   * Removes a delivered or skipped event. The next one of its subject is due at `deliverAt`, unless it is a dead
   * letter, which keeps blocking those behind it. Condition: it exists, is its subject's first and, if `attempts` is
   * given, had that many attempts.
   */
  | (OfEvent<'removeEvent'> & { readonly attempts?: number; readonly deliverAt: EpochMs })
  /** Records that a message of the processor was applied. Condition: it was not recorded. */
  | { readonly kind: 'insertProcessorEvent'; readonly id: string; readonly at: EpochMs }
  | Insert<'refund', Refund>
  | Update<'refund', Refund>
  | Delete<'refund'>
  | Insert<'dispute', Dispute>
  | Update<'dispute', Dispute>
  | Insert<'tender', Tender>
  | Update<'tender', Tender>
  | Insert<'share', ShareEntry>
  | Update<'share', ShareEntry>
  | Insert<'movement', Movement>
  /**
   * Inserts an entry. A stored entry keeps its payout unless this change names a payout, and its
   * business unless this change names a business. The rest of an entry never changes.
   */
  | Put<'settlement', SettlementEntry>
  /**
   * Inserts or replaces a payout. A stored one keeps its `replacedBy` unless this change names another
   * payout: two nodes may read the same lists at once.
   */
  | Put<'payout', Payout>
  | Insert<'review', Review>
  | Update<'review', Review>
  | Insert<'setup', MethodSetup>
  | Update<'setup', MethodSetup>
  | Delete<'setup'>
  /** Inserts or replaces a fact. Condition: the stored version is one less; none is stored for version 1. */
  | { readonly kind: 'putFact'; readonly fact: Fact }
  /** Stores how far the sweep of books at the processor has come. It may also go back. */
  | { readonly kind: 'putSweep'; readonly swept: SweptBooks }
  /** Condition: its subject is in no other row either. */
  | Insert<'actor', Actor>
  /** Condition: it exists, and no other row has this subject. */
  | { readonly kind: 'renameActor'; readonly number: number; readonly subject: string }
  /** Condition: its device identifier is not registered either. */
  | Insert<'terminal', Terminal>
  /** Condition: it exists. */
  | { readonly kind: 'deleteTerminal'; readonly id: string }
  /**
   * Removes expired records, at most `limit` of each type, which is at least 1. These are keys whose
   * `forgetAt` is `now` or earlier, ids of commits before `commitsBefore`, and ids of processor events
   * before `processorEventsBefore`. It also removes events that have been due and untaken since before
   * `eventsBefore`. But an event that is still due at its `occurredAt` becomes due at `now`
   * instead, because the clock of its writer may be far behind. The next event of a removed one's
   * subject is due at its `occurredAt` or at the removed one's time, whichever is later, unless it is
   * a dead letter.
   */
  | {
      readonly kind: 'forget';
      readonly now: EpochMs;
      readonly commitsBefore: EpochMs;
      readonly processorEventsBefore: EpochMs;
      readonly eventsBefore: EpochMs;
      readonly limit: number;
    }
  /** Condition: it exists, belongs to the business and is not its default. */
  | {
      readonly kind: 'deleteFinancialAccount';
      readonly businessId: string;
      readonly id: string;
    }
  /** Condition: it exists, belongs to the barber and, where the host owns it, is not in use. */
  | { readonly kind: 'deleteSchedule'; readonly barberId: string; readonly id: string }
  | Put<'appointment', Appointment>
  | Put<'barber', Barber>
  | Put<'business', Business>
  | Put<'schedule', Schedule>
  /** If it is the default, the business's other accounts lose that mark. */
  | { readonly kind: 'putFinancialAccount'; readonly account: FinancialAccount }
  | { readonly kind: 'putPayoutPreferences'; readonly preferences: PayoutPreferences };

export type ChangeKind = Change['kind'];

/** The change of one kind, for a table with an entry for each. */
export type ChangeOf<Kind extends ChangeKind> = Extract<Change, { readonly kind: Kind }>;

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
