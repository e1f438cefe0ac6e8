import type { Clock, ProcessorAccount } from '@chairside/core';
import type { Processor, RawEvent } from '@chairside/core/ports';
import type { ChangingCall, OutsideActs } from './simulated.ts';

/** Abilities that a processor or its test harness may lack. */
export type ProcessorCapability =
  | keyof Omit<ProcessorHarness, 'processor' | 'clock' | 'newAccount' | 'present' | Companion>
  /** A payment can be read before any card was presented. */
  | 'readBeforeCard'
  | 'decline'
  | 'cancelAtTerminal'
  | 'approvePartly'
  /** Some cards are refunded only while they are held to a terminal, as Interac's are. */
  | 'approveInterac'
  /** The card's bank can take its time, and the payment stays in processing meanwhile. */
  | 'processing'
  /** A refund that failed states why. */
  | 'refundFailure'
  /** Payments can carry a fee of the platform, and a read shows it. */
  | 'fees'
  /** The processor rejects a key that was used with other parameters. */
  | 'keysCoverParameters'
  /** The same for captures and cancelations, which have no keys at some processors. */
  | 'keysCoverCaptures'
  /** Captures are accepted, and end later. */
  | 'capturesEndLater'
  | 'listPayments'
  | 'readReceipt'
  /** Captured payments can be refunded. */
  | 'refunds'
  /** Disputes can be listed. */
  | 'disputes'
  /** The entries of a balance can be listed, and the payouts of an account. */
  | 'settlements'
  /** Saved methods can be charged without their customers. */
  | 'charges'
  | 'setups'
  /** Replies to reads state the processor's time; payments, when they were opened (D42). */
  | 'processorTime'
  /** A completed setup states when it was completed (D41). */
  | 'setupCompletedAt';

/** Members that another ability needs, or that have a default. */
type Companion =
  | ('slowCaptures' | 'endCapture' | 'withholdDispute' | 'close')
  | ('refundsPerPage' | 'payoutsToList' | 'crowd');

/** A call whose reply can be lost, or that the processor can fail. */
export type LosableCall = ChangingCall | ReadingCall;

/** Reads are sent with our own ids alone, without a reference. */
export type ReadingCall =
  | 'readPayment'
  | 'readReceipt'
  | 'readSetup'
  | 'listPayments'
  | 'listRefunds'
  | 'listRecentRefunds'
  | 'listDisputes'
  | 'listRecentDisputes'
  | 'listEntries'
  | 'listPayouts';

/** A member of a reply, by which an adapter sees that the reply is about what was asked. */
export type ReplyMember = 'identity' | 'amount' | 'currency' | 'account' | 'customer';

/** The actions of a customer with a card at a terminal. */
export type Presentation =
  | 'approve'
  | 'decline'
  | 'cancel'
  | 'approvePartly'
  | 'approveInterac'
  | 'process';

/** The response to a charge of a saved card without its customer. */
export type SavedCard = 'approve' | 'decline' | 'needsCustomer' | 'vanish';

/**
 * One processor under test, new for each test. Payments of earlier tests may remain: each test has its own
 * mark. If captures end later, `endCapture` is required and does nothing where none is in flight; if
 * refunds begin as pending, `endRefund` is. Inquiries require `withholdDispute`.
 */
export interface ProcessorHarness extends Partial<OutsideActs<Promise<void>>> {
  readonly processor: Processor;
  /** The clock that the processor follows. */
  readonly clock: Clock;
  /** An account that takes card payments, and a terminal location that it accepts. */
  newAccount(): Promise<ProcessorAccount>;
  /** An account that cannot take card payments. */
  accountNotSetUp?(): Promise<ProcessorAccount>;
  /** A terminal location that the processor does not accept. */
  readonly rejectedLocation?: string;
  /** A customer pays at a terminal; returns the reference that the terminal's app receives. */
  present(clientSecret: string, presentation: Presentation): Promise<string>;
  /** Makes captures end later from now on. Leave it out if every capture does. */
  slowCaptures?(): Promise<void>;
  /** The next call of that name is applied, and its reply is lost. */
  loseReply?(call: LosableCall): Promise<void>;
  /**
   * The processor answers the next call of that name with a failure of its own, which it may repeat for
   * ever under the same key. The call is applied or not.
   */
  fail?(call: LosableCall, isApplied: boolean): Promise<void>;
  /**
   * The processor rejects the next call of that name for now, because there were too many.
   * @param after it first answers so many requests of such a call.
   */
  rateLimit?(call: LosableCall, after?: number): Promise<void>;
  /** No connection is made for the next call of that name. */
  refuse?(call: LosableCall): Promise<void>;
  /** Another instance of the adapter, as in another process, over the same processor. */
  second?(): Promise<Processor>;
  /**
   * Another instance with a short `deadlineMs`. The processor applies its next call of that name, and
   * never replies to it.
   */
  silent?(call: ChangingCall): Promise<Processor>;
  /**
   * Changes a payment at the processor so that the adapter cannot read it in a list, or the refunds or
   * disputes of the payment.
   */
  spoil?(reference: string, items?: 'payment' | 'refunds' | 'disputes'): Promise<void>;
  /** The next call of that name is applied, and its reply has another shape. */
  garbleReply?(call: LosableCall): Promise<void>;
  /**
   * The next call of that name is applied, and one member of its reply differs: our id, the amount, the
   * currency, the account or the customer. Returns false if the reply has no such member.
   */
  alterReply?(call: LosableCall, member: ReplyMember): Promise<boolean>;
  /** The amounts of a payment in the processor's own books, not as the adapter shows them. */
  books?(
    reference: string,
  ): Promise<{ readonly amountMinor: bigint; readonly capturedMinor: bigint }>;
  /** How many refunds the longest page of the processor's lists holds. Default: 10. */
  readonly refundsPerPage?: number;
  /** How many payouts the test lists. Choose more than the longest page holds. Default: 5. */
  readonly payoutsToList?: number;
  /**
   * How many payments, made in one moment, are more than one call of a list reads. Default: 20. The test
   * opens so many.
   */
  readonly crowd?: number;
  /**
   * Other software pays in another account, with a copy of everything that marks this payment as ours. The
   * copy is captured. Returns its reference.
   */
  copy?(reference: string, account: string): Promise<string>;
  /** Has a customer enter a payment method that can be saved. Default: one that can be charged. */
  completeSetup?(clientSecret: string, card?: SavedCard): Promise<void>;
  /** The processor knows this customer no longer. */
  forgetCustomer?(customerId: string): Promise<void>;
  /** The messages that the processor sent since the last call, in order. */
  events?(): Promise<readonly RawEvent[]>;
  /** Sends a message again, with a new signature. It signs any text, messages or not. */
  redeliver?(event: RawEvent): Promise<RawEvent>;
  /**
   * The texts of messages about something else: a customer, a type that is new, a payment without our
   * mark. `redeliver` signs them.
   */
  readonly otherMessage?: string | readonly string[];
  /**
   * Lets time pass until the processor pays the account's whole balance out and can list the payout's
   * entries. The payout has not arrived yet.
   */
  payOut?(account: string): Promise<void>;
  /** Lets time pass, for `clock` and for the processor. */
  advance?(ms: number): Promise<void>;
  /**
   * The adapter over a processor that accepts every request and never responds. The test waits for
   * its `deadlineMs`, so choose a short one.
   */
  stalled?(): Promise<Processor>;
  close?(): Promise<void>;
}
