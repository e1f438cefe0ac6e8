import type { Appointment } from '../domain/appointment.ts';
import type {
  Barber,
  Business,
  FinancialAccount,
  PayoutPreferences,
  Schedule,
} from '../domain/business.ts';
import type { Dispute } from '../domain/dispute.ts';
import type { DomainEvent } from '../domain/event.ts';
import type { KeyRecord } from '../domain/key-record.ts';
import type { MethodSetup } from '../domain/method-setup.ts';
import type { Movement } from '../domain/movement.ts';
import type { Payment } from '../domain/payment.ts';
import type { Problem } from '../domain/problem.ts';
import type { Refund, Returned } from '../domain/refund.ts';
import type { Review } from '../domain/review.ts';
import type { Payout, SettlementEntry } from '../domain/settlement.ts';
import type { SweptLedger } from '../domain/swept-ledger.ts';
import type { Terminal } from '../domain/terminal.ts';
import type { EpochMs } from '../domain/time.ts';

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

/** Inserts or replaces a record of the host (D35). */
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
   * Also begins the sweep of its ledger at the processor, if it is the ledger's first payment. Without
   * `ledger` it is the ledger of the payment's account. The sweep begins at `sweepFrom`, without it at
   * the payment's `createdAt`, and was last tried at that time.
   */
  | (Insert<'payment', Payment> & {
      readonly ledger?: string | undefined;
      readonly sweepFrom?: EpochMs | undefined;
    })
  | Update<'payment', Payment>
  | Delete<'payment'>
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
   * Schedules the next attempt at `deliverAt`; without it, the event becomes a dead letter.
   * Condition: it exists, and, if `attempts` is given, had that many attempts, so no other node has
   * leased it since.
   */
  | (OfEvent<'postponeEvent'> & { readonly attempts?: number; readonly deliverAt?: EpochMs })
  /**
   * Gives a dead letter a new round of attempts, from `deliverAt` on: it has had none so far.
   * Condition: it is a dead letter.
   */
  | (OfEvent<'reviveEvent'> & { readonly deliverAt: EpochMs })
  /**
   * Removes a delivered or skipped event. The next one of its subject is due at `deliverAt`, unless
   * it is a dead letter, which keeps blocking those behind it. Condition: it exists, is its
   * subject's first and, if `attempts` is given, had that many attempts.
   */
  | (OfEvent<'removeEvent'> & { readonly attempts?: number; readonly deliverAt: EpochMs })
  /** Records that a message of the processor was applied. Condition: it was not recorded (D25). */
  | { readonly kind: 'insertProcessorEvent'; readonly id: string; readonly at: EpochMs }
  /** Records for ever. Condition: the account has no record of this kind and id. */
  | Insert<'returned', Returned>
  | Insert<'refund', Refund>
  | Update<'refund', Refund>
  | Delete<'refund'>
  | Insert<'dispute', Dispute>
  | Update<'dispute', Dispute>
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
  /** Condition: it exists and is open. */
  | {
      readonly kind: 'resolveReview';
      readonly id: string;
      readonly resolvedAt: EpochMs;
      readonly note: string;
    }
  /** Condition: it exists, is open, and has this count. */
  | {
      readonly kind: 'countReview';
      readonly id: string;
      readonly expectedCount: number;
      readonly count: number;
      readonly openedAt: EpochMs;
    }
  /** Resolves the payment's open reviews with this reason, if there are any. */
  | {
      readonly kind: 'resolvePaymentReviews';
      readonly paymentId: string;
      readonly reason: string;
      readonly resolvedAt: EpochMs;
      readonly note: string;
    }
  | Insert<'setup', MethodSetup>
  | Update<'setup', MethodSetup>
  | Delete<'setup'>
  /** Stores how far the sweep of a ledger at the processor has come. It may also go back. */
  | { readonly kind: 'putSweep'; readonly swept: SweptLedger }
  /** Condition: its device identifier is not registered either. */
  | Insert<'terminal', Terminal>
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
