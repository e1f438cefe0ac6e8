import type { Clock, PaymentState, Processor, RawEvent, Result } from '@chairside/core';
import type { CardName } from './cards.ts';
import type { Entry, HistoryLine } from './entry.ts';
import type { LedgerFailed } from './errors.ts';
import type { CallName, FaultKind, ProcessorCall } from './faults.ts';
import type { FakeLedger } from './ledger.ts';
import type { RefundError } from './refunds.ts';
import type { SetupEntry } from './setup-entry.ts';
import type { CompleteSetupError, SetupOutcome } from './setups.ts';
import type { PresentError, Presented } from './terminal.ts';

export interface FakeProcessorOptions {
  /** The only source of time: approvals, deadlines and the forgetting of keys follow it. */
  readonly clock: Clock;
  /** The same seed, clock and calls make the same ids, secrets and ledger. */
  readonly seed?: string | undefined;
  /** What events are signed with; derived from the seed by default. */
  readonly webhookSecret?: string | undefined;
  /** Where the ledger is kept; in memory by default. */
  readonly ledger?: FakeLedger | undefined;
  /** The accounts that can take card payments; `any` by default. All others are `notSetUp`. */
  readonly accounts?: 'any' | Iterable<string> | undefined;
  /** Terminal locations for which no connection token is made: `rejected` (D34). */
  readonly rejectedLocations?: Iterable<string> | undefined;
  /** References stay unknown until a card is presented, as with some real processors. */
  readonly lateReferences?: boolean | undefined;
  /** The port's `deadlineMs`; 10 seconds by default. The fake itself measures no time. */
  readonly deadlineMs?: number | undefined;
  /** Which fault a call meets, for simulators. What `failNext` scripted comes first. */
  readonly faults?: ((call: ProcessorCall) => FaultKind | undefined) | undefined;
  /** Awaited on the way there and back, for simulators that decide what happens in between. */
  readonly delay?: ((call: ProcessorCall, way: 'request' | 'reply') => Promise<void>) | undefined;
}

/** One line of the ledger, as an operator would look it up. Money as decimal text. */
export interface LedgerLine {
  readonly id: string;
  readonly status: PaymentState;
  readonly amount: string;
  readonly amountCaptured: string;
}

/** How often a call was made, and how often it changed the ledger. Replays do not change it. */
export interface CallCount {
  readonly made: number;
  readonly applied: number;
}

/**
 * A simulated processor with the faults of real ones, on demand: it loses requests and responses,
 * applies calls long after their time-out, replays stored failures, forgets keys after 24 hours,
 * opens a payment twice under two keys, and cancels an authorized payment by itself. It signs an
 * event for every change of a payment. An {@link EventSender} delivers the events.
 */
export interface FakeProcessor extends Processor {
  /** No authorization of any card is held for longer. */
  readonly longestHoldMs: number;
  /** Holds a card of the catalogue (`cards`) to a simulated terminal. */
  presentCard(clientSecret: string, card: CardName): Result<Presented, PresentError>;
  /** The ledger's entry for a reference; `undefined` if it has none. */
  ledgerEntry(reference: string): LedgerLine | undefined;
  /**
   * Has a customer enter a card of the catalogue (`visa_credit` by default) in a setup's session.
   * A declined card leaves the session open. Wallets cannot be saved as payment methods.
   */
  completeSetup(clientSecret: string, card?: CardName): Result<SetupOutcome, CompleteSetupError>;
  /** Gives a captured payment back, or a part of it: an event, and no other status. */
  refund(reference: string, amountMinor: bigint): Result<HistoryLine, RefundError>;
  /** Has the customer contest a captured payment, or a part of it. */
  dispute(reference: string, amountMinor: bigint): Result<HistoryLine, RefundError>;
  /**
   * Takes the oldest pending events (all by default), in order and signed now. Each change of a
   * payment has one. At most `outboxCapacity` events wait.
   */
  pendingEvents(limit?: number): Result<readonly RawEvent[], LedgerFailed>;
  /** As `pendingEvents`, and they are pending no more: to deliver them or not is the taker's. */
  takeEvents(limit?: number): Result<readonly RawEvent[], LedgerFailed>;
  /** Signs a message as of now, to deliver an event once more, or one that the fake never sends. */
  signEvent(payload: string): RawEvent;
  /** The whole ledger, in the order in which payments were opened. */
  entries(): readonly Entry[];
  /** Every setup, in the order in which they were opened. */
  setups(): readonly SetupEntry[];
  /** The next `times` calls (once by default) of that name meet the fault. */
  failNext(call: CallName, fault: FaultKind, times?: number): void;
  /** Resumes every held call (`slow`, `slowReply`) and returns their number. */
  release(): number;
  /** Delivers every call that met `landsLater` and returns their number. */
  landAbandoned(): number;
  /** From now on, calls for this account (or `platformAccount`) are answered with `notSetUp`. */
  disableAccount(account: string): void;
  enableAccount(account: string): void;
  /** From now on, this location gets no connection token. */
  rejectLocation(terminalLocation: string): void;
  /** From now on, no setup is opened for this customer: `unknownCustomer`. */
  forgetCustomer(customerId: string): void;
  /** Counts since this fake was made. */
  count(call: CallName): CallCount;
}
