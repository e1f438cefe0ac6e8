import type { Clock, PaymentState, RefundState, Result } from '@chairside/core';
import type {
  Processor,
  ProcessorCharges,
  ProcessorDisputes,
  ProcessorRefunds,
  ProcessorSettlements,
  RawEvent,
} from '@chairside/core/ports';
import type { BalanceEntry, FakeFees } from './balance.ts';
import type { CardName } from './cards.ts';
import type { Entry, HistoryLine, RefundEntry, SetupEntry } from './entry.ts';
import type { StorageFailed } from './errors.ts';
import type { CallName, FaultKind, ProcessorCall } from './faults.ts';
import type { FakePayout } from './payouts.ts';
import type { CompleteSetupError, SetupOutcome } from './setups.ts';
import type { FakeStorage } from './storage.ts';
import type { PresentError, Presented } from './terminal.ts';

export interface FakeProcessorOptions {
  /**
   * The only source of time, for approvals, deadlines and the expiry of keys. Default: the system's.
   */
  readonly clock?: Clock | undefined;
  /**
   * The same seed, clock and calls give the same ids, secrets and books. Default: `chairside`; with `file`
   * a random one, which the file keeps.
   */
  readonly seed?: string | undefined;
  /** The secret that signs events. Default: derived from the seed. */
  readonly webhookSecret?: string | undefined;
  /**
   * The path of a file that keeps the books, so that a fake of the next process knows the payments of this
   * one. One process at a time may write to it. Default: none, and the books are forgotten.
   */
  readonly file?: string | undefined;
  /** The storage of the books, in the place of `file`. Default: memory. */
  readonly storage?: FakeStorage | undefined;
  /** The accounts that can take card payments. Default: `any`. All others are `notSetUp`. */
  readonly accounts?: 'any' | Iterable<string> | undefined;
  /** Terminal locations that get no connection token: `rejected` (D34). */
  readonly rejectedLocations?: Iterable<string> | undefined;
  /** The processor's fees. Default: 1.5 % and 0.25 of a payment, 15.00 of a dispute. */
  readonly fees?: Partial<FakeFees> | undefined;
  /** Hides references until a card is presented, as some real processors do. */
  readonly lateReferences?: boolean | undefined;
  /** The port's `deadlineMs`. Default: 10 seconds. The fake itself measures no time. */
  readonly deadlineMs?: number | undefined;
  /** Chooses a call's fault, for simulators. Faults of `failNext` come first. */
  readonly faults?: ((call: ProcessorCall) => FaultKind | undefined) | undefined;
  /** Awaited before the call and before the reply, for simulators that act in between. */
  readonly delay?: ((call: ProcessorCall, way: 'request' | 'reply') => Promise<void>) | undefined;
}

/** One line of the books in an operator's view, with money as decimal text. */
export interface BookLine {
  readonly id: string;
  readonly status: PaymentState;
  readonly amount: string;
  readonly amountCaptured: string;
  /** Absent before the first refund. */
  readonly refunds?: readonly Pick<RefundEntry, 'id' | 'state' | 'amount'>[];
}

/** The number of calls, and of those that changed the books. Replays do not change them. */
export interface CallCount {
  readonly made: number;
  readonly applied: number;
}

/** The books of an account. */
export interface FakeBalance {
  readonly entries: readonly BalanceEntry[];
  readonly payouts: readonly FakePayout[];
}

export type RefundError =
  | { readonly kind: 'unknownReference' }
  | { readonly kind: 'notCaptured'; readonly status: PaymentState }
  /** Zero, or more than the captured amount that is not refunded yet. */
  | { readonly kind: 'amountOutOfRange' }
  /** The capture, refund or dispute does not exist, or it has ended in this way already. */
  | { readonly kind: 'notOpen' }
  | StorageFailed;

/**
 * A simulated processor with the faults of real ones, on demand. It loses requests and responses,
 * applies calls long after their time-out, replays stored failures, and forgets keys after 24 hours.
 * It opens a payment twice under two keys, and cancels an authorized payment by itself. It signs an
 * event for every change of a payment, for `takeEvents`.
 */
export interface FakeProcessor extends Processor {
  readonly charges: ProcessorCharges;
  readonly refunds: ProcessorRefunds;
  readonly disputes: ProcessorDisputes;
  readonly settlements: ProcessorSettlements;
  /** The longest time that any card's authorization is held. */
  readonly longestHoldMs: number;
  /** Presents a card of the catalogue (`cards`) at a simulated terminal. */
  presentCard(clientSecret: string, card: CardName): Result<Presented, PresentError>;
  /** The books' entry for a reference; `undefined` if it has none. */
  bookEntry(reference: string): BookLine | undefined;
  /**
   * Enters a card of the catalogue (`visa_credit` by default) in a setup's session, as a customer
   * does. A declined card leaves the session open. Wallets cannot be saved as payment methods.
   */
  completeSetup(clientSecret: string, card?: CardName): Result<SetupOutcome, CompleteSetupError>;
  /** Refunds a captured payment in the processor's dashboard. Returns the line of the history. */
  refund(reference: string, amountMinor: bigint): Result<HistoryLine, RefundError>;
  /** Disputes a captured payment, as a cardholder does. The amount is withheld at once. */
  dispute(reference: string, amountMinor: bigint): Result<HistoryLine, RefundError>;
  /** Opens a dispute as an inquiry, which withholds nothing and leaves the payment refundable. */
  inquire(reference: string, amountMinor: bigint): Result<HistoryLine, RefundError>;
  /** Ends a pending refund in this state, or fails one that took place. */
  endRefund(
    reference: string,
    refund: string,
    state: RefundState,
  ): Result<HistoryLine, RefundError>;
  /** Decides an open dispute. An inquiry can only be closed as won. */
  closeDispute(
    reference: string,
    dispute: string,
    state: 'won' | 'lost',
  ): Result<HistoryLine, RefundError>;
  /** A closed dispute goes on, by an appeal for example. It moves no money. */
  reopenDispute(reference: string, dispute: string): Result<HistoryLine, RefundError>;
  /** An open dispute withholds its amount, so that an inquiry becomes a dispute. */
  withholdDispute(reference: string, dispute: string): Result<HistoryLine, RefundError>;
  /** Only accepts captures from now on, until `endCapture` ends them; or no longer. */
  slowCaptures(isSlow: boolean): void;
  /** Ends a capture that was accepted. If it failed, the payment can be captured again. */
  endCapture(reference: string, state: 'captured' | 'failed'): Result<HistoryLine, RefundError>;
  /**
   * Accepts refunds as pending from now on, until `endRefund` ends them; or no longer.
   * @param isBooked false: they leave the balance only when they succeed. Default: at once.
   */
  slowRefunds(isSlow: boolean, isBooked?: boolean): void;
  /**
   * Returns the oldest pending events (all by default), in order and signed now. Each change of a
   * payment has one. At most `outboxCapacity` events wait.
   */
  pendingEvents(limit?: number): Result<readonly RawEvent[], StorageFailed>;
  /** Like `pendingEvents`, but removes them: the caller may deliver them or not. */
  takeEvents(limit?: number): Result<readonly RawEvent[], StorageFailed>;
  /** The entries of an account's balance, and its payouts until now, in order of time. */
  balance(account: string): FakeBalance;
  /** The payout has failed, or is taken back from the bank, from now on. Its money is in the next one. */
  failPayout(
    account: string,
    payout: string,
    state?: 'failed' | 'reversed',
  ): Result<void, { readonly kind: 'unknownPayout' } | StorageFailed>;
  /** Signs a message with the current time, to repeat an event or to send an invented one. */
  signEvent(payload: string): RawEvent;
  /** The whole books, in the order of opening. */
  entries(): readonly Entry[];
  /** Every setup, in the order of opening. */
  setups(): readonly SetupEntry[];
  /** Gives the next `times` calls (default: one) of that name this fault. */
  failNext(call: CallName, fault: FaultKind, times?: number): void;
  /** Resumes every held call (`slow`, `slowReply`) and returns their number. */
  release(): number;
  /** Delivers every call with the fault `landsLater` and returns their number. */
  landAbandoned(): number;
  /** From now on, calls for this account (or `platformAccount`) return `notSetUp`. */
  disableAccount(account: string): void;
  enableAccount(account: string): void;
  /** From now on, this location gets no connection token. */
  rejectLocation(terminalLocation: string): void;
  /** From now on, opening a setup for this customer returns `unknownCustomer`. */
  forgetCustomer(customerId: string): void;
  /** Counts since the creation of this fake. */
  count(call: CallName): CallCount;
}
