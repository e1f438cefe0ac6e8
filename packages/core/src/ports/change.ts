import type { Appointment } from '../domain/appointment.ts';
import type { Barber, Business, FinancialAccount } from '../domain/business.ts';
import type { Dispute } from '../domain/dispute.ts';
import type { DomainEvent } from '../domain/event.ts';
import type { KeyRecord } from '../domain/key-record.ts';
import type { MethodSetup } from '../domain/method-setup.ts';
import type { MoneyBack } from '../domain/money-back.ts';
import type { Payment } from '../domain/payment.ts';
import type { PayoutPreferences } from '../domain/payout-preferences.ts';
import type { Problem } from '../domain/problem.ts';
import type { Refund } from '../domain/refund.ts';
import type { Review } from '../domain/review.ts';
import type { Schedule } from '../domain/schedule.ts';
import type { SweptLedger } from '../domain/swept-ledger.ts';
import type { Terminal } from '../domain/terminal.ts';
import type { EpochMs } from '../domain/time.ts';

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
