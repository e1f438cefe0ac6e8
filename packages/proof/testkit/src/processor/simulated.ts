import type { DisputeState, EpochMs, PaymentState, RefundState, Result } from '@chairside/core';
import type { ListedEntry, ListedPayout, Processor, RawEvent } from '@chairside/core/ports';

/** A control may answer at once, or as late as the API of a gateway does. */
export type MaybePromise<T> = T | Promise<T>;

/**
 * What people and banks do at the processor. An optional act is absent if it is impossible there. A
 * reference is the processor's id of a payment.
 */
export interface OutsideActs<Answer> {
  /** An operator refunds a captured payment in the dashboard; impossible beyond its rest. */
  refund(reference: string, amountMinor: bigint): Answer;
  /** A cardholder disputes a captured payment; impossible beyond its rest. */
  dispute(reference: string, amountMinor: bigint): Answer;
  /** Ends a capture that was accepted. */
  endCapture?(reference: string, end: 'captured' | 'failed'): Answer;
  /** Moves a refund, which the processor's list names, to another state, as the card's bank does. */
  endRefund?(reference: string, refund: string, state: 'succeeded' | 'failed'): Answer;
  /** A cardholder opens an inquiry, which withholds nothing. */
  inquire?(reference: string, amountMinor: bigint): Answer;
  /** An open dispute withholds its amount: an inquiry becomes a dispute. */
  withholdDispute?(reference: string, dispute: string): Answer;
  /** The card's network closes an open dispute. An inquiry is only won. */
  closeDispute?(reference: string, dispute: string, state: 'won' | 'lost'): Answer;
  /** A closed dispute goes on, by an appeal for example; it moves no money. */
  reopenDispute?(reference: string, dispute: string): Answer;
  /** The bank returns a payout of the account. */
  failPayout?(account: string, payout: string): Answer;
}

/**
 * A processor whose books the simulation can read. `@chairside/fake-processor` makes one, and so does
 * `driveProcessor` of an adapter.
 */
export interface SimulatedProcessor
  extends Processor,
    OutsideActs<MaybePromise<Result<unknown, unknown>>> {
  /** The longest time that any card's authorization is held; runs continue until it has ended. */
  readonly longestHoldMs: number;
  /** Every payment that was ever opened. */
  entries(): MaybePromise<readonly BookEntry[]>;
  /** Presents a card at a terminal, with the names of `@chairside/fake-processor`. */
  presentCard(
    clientSecret: string,
    card: string,
  ): MaybePromise<Result<{ readonly externalPaymentReference: { readonly id: string } }, unknown>>;
  /** Every setup that was ever opened. */
  setups(): MaybePromise<readonly SetupBookEntry[]>;
  /** A customer enters a card in a setup's session: `visa_credit` by default. */
  completeSetup(
    clientSecret: string,
    card?: string,
  ): MaybePromise<Result<{ readonly status: SetupEnd }, unknown>>;
  /** Takes the unsent messages, and marks them as sent. */
  takeEvents(): MaybePromise<Result<readonly RawEvent[], unknown>>;
  /** Signs a message again, for a repeated delivery. */
  signEvent(payload: string): MaybePromise<RawEvent>;
  /** Only accepts captures from now on, or no longer. Absent if captures never end later. */
  slowCaptures?(isSlow: boolean): MaybePromise<void>;
  /**
   * Accepts refunds as pending from now on, or no longer. Absent if they are never pending.
   * @param isBooked false: they leave the balance only when they succeed.
   */
  slowRefunds?(isSlow: boolean, isBooked?: boolean): MaybePromise<void>;
  /** The balance of an account in the processor's own books. Absent if it keeps none. */
  balance?(account: string): MaybePromise<AccountBalance>;
  /** Deletes this customer at the processor. Absent if the processor never forgets customers. */
  forgetCustomer?(customerId: string): MaybePromise<void>;
  /** Gives the next call of that name one of the processor's own faults. */
  failNext(call: ChangingCall, fault: 'failure' | 'failureAfterApplying' | 'rejected'): void;
}

/** How a card ends a setup. After `declined` the session stays open. */
export type SetupEnd = 'completed' | 'declined' | 'canceled';

/** The changes of an account's balance, and its payouts. */
export interface AccountBalance {
  readonly entries: readonly BalanceChange[];
  readonly payouts: readonly PaidOut[];
}

/** A change of a balance by a payment, a refund or a dispute. */
export interface BalanceChange extends ListedEntry {
  readonly installation: string;
}

/** A payout, with all that it pays. */
export interface PaidOut extends ListedPayout {
  /** The ids of the changes in it. */
  readonly entries: readonly Pick<BalanceChange, 'reference'>[];
  /** The ids of failed payouts that it pays again. */
  readonly repaid: readonly string[];
}

export interface BookEntry {
  readonly id: string;
  readonly account: string;
  readonly paymentId: string;
  readonly installation: string;
  readonly status: PaymentState;
  /** Decimal text, as on the wire. */
  readonly amount: string;
  readonly amountCaptured: string;
  /** The amount that the issuer approved. Absent before a card was approved. */
  readonly amountAuthorized?: string;
  readonly capturedAt?: EpochMs;
  readonly captureBefore?: EpochMs;
  readonly createdAt: EpochMs;
  readonly clientSecret: string;
  /** The platform's fee; absent if there is none. */
  readonly applicationFee?: string;
  /** The part of the amount that is tip. Absent without a tip, and for processors that keep none. */
  readonly tip?: string;
  /** Every refund, also those of the dashboard; absent if there are none. */
  readonly refunds?: readonly RefundBookEntry[];
  readonly disputes?: readonly DisputeBookEntry[];
  /**
   * The changes in their order, each with its name: `opened`, `processing`, `authorized`, `declined`,
   * `captured`, `canceled`, `expired`, `refunded`, `disputed`.
   */
  readonly history: readonly { readonly at: EpochMs; readonly what: string }[];
}

export interface RefundBookEntry {
  readonly id: string;
  /** The mark of the service that made it; absent for one of the dashboard. */
  readonly refundId?: string;
  readonly createdAt?: EpochMs;
  /** Later than `createdAt` if it had to wait for the balance. */
  readonly bookedAt?: EpochMs;
  readonly state: RefundState;
  readonly amount: string;
  /** Absent for processors that do not show it. */
  readonly returnsFee?: boolean;
}

export interface DisputeBookEntry {
  readonly id: string;
  readonly state: DisputeState;
  readonly amount: string;
  /** While it is open, the payment can be refunded. Default: false. */
  readonly isInquiry?: boolean;
  /** What was taken for it, negative, and given back. Default: its amount, unless it was won. */
  readonly bookings?: readonly { readonly amount: string }[];
}

export interface SetupBookEntry {
  readonly id: string;
  readonly setupId: string;
  readonly installation: string;
  readonly status: 'open' | 'completed' | 'canceled';
  readonly clientSecret: string;
  /** Absent for processors that do not show it. */
  readonly customerId?: string;
  readonly savePaymentMethod?: boolean;
}

/** A call that changes something at the processor. */
export type ChangingCall =
  | 'openPayment'
  | 'authorizeMethod'
  | 'capturePayment'
  | 'cancelPayment'
  | 'openSetup'
  | 'cancelSetup'
  | 'refund';

/** The calls that the specs count and make fail. */
export type DrivenCall = ChangingCall | 'readPayment' | 'createConnectionToken';

/** Faults of one request, at the processor or on the way. "Applied" means that its books show the effect. */
export type WireFault =
  /** Never arrives. `unavailable`, `unknown`. */
  | 'timeoutBeforeApplying'
  /** Applied, and never answered. `unavailable`, `unknown`. */
  | 'timeoutAfterApplying'
  /** Applied, then the connection is reset. `unavailable`, `unknown`. */
  | 'lostReply'
  /** The connection is refused. `unavailable`, `notApplied`. */
  | 'refused'
  | 'rateLimited'
  /** Not applied; the account is refused. Stored under the key, and then `repeated`. */
  | 'notSetUp'
  /** Not applied; an internal error of the processor, stored and replayed under the key. */
  | 'failure'
  /** Like `failure`, but applied. */
  | 'failureAfterApplying'
  /** Not applied; a rejection, stored and replayed under the key. */
  | 'rejected';

/** Faults of one call. All but `WireFault` delay the call, or give it up. */
export type DrivenFault =
  | WireFault
  /** Sent only at `release()`. */
  | 'slow'
  /** Sent at once; the reply is held until `release()`. */
  | 'slowReply'
  /** `unavailable`, `unknown`; sent when `landAbandoned()` is called, at any later time. */
  | 'landsLater';

/**
 * A processor that a spec can drive: it presents cards, makes calls fail and reads the books. The
 * fake is one, and `driveProcessor` makes one of any adapter.
 */
export interface DrivenProcessor extends SimulatedProcessor {
  /** Cards that it cannot present: their specs are skipped. Default: none. */
  readonly lacksCards?: readonly string[];
  /** Gives the next `times` calls (default: one) of that name this fault. */
  failNext(call: DrivenCall, fault: DrivenFault, times?: number): void;
  /** How many calls of that name were made. */
  count(call: DrivenCall): { readonly made: number };
  /** Resumes every held call (`slow`, `slowReply`) and returns their number. */
  release(): number;
  /** Sends every call with the fault `landsLater` and returns their number. */
  landAbandoned(): MaybePromise<number>;
  /** From now on, calls for this account return `notSetUp`. */
  disableAccount(account: string): MaybePromise<void>;
  enableAccount(account: string): MaybePromise<void>;
  /** From now on, this location gets no connection token. */
  rejectLocation(terminalLocation: string): MaybePromise<void>;
}

/**
 * An author's control of the processor, for `driveProcessor`. Every control may return a promise. An
 * impossible action throws. Amounts are minor units (`4500n` is 45.00), and times are
 * milliseconds since 1970. A reference is the processor's id of a payment.
 */
export interface ProcessorControls
  extends Pick<SimulatedProcessor, 'slowCaptures' | 'slowRefunds' | 'balance' | 'forgetCustomer'>,
    Partial<OutsideActs<MaybePromise<unknown>>> {
  /** How long the processor holds an authorization at most, in milliseconds. */
  readonly longestHoldMs: number;
  /** Cards of `@chairside/fake-processor` that it cannot present: their specs are skipped. Default: none. */
  readonly lacksCards?: readonly string[];
  /** Every payment that was ever opened, in order, from the processor's own books. */
  entries(): MaybePromise<readonly BookEntry[]>;
  /**
   * Presents a card at a terminal and returns the payment's reference, also after a decline.
   * @param card a name of `@chairside/fake-processor`, for example `visa_credit` or `declined`.
   */
  presentCard(clientSecret: string, card: string): MaybePromise<string>;
  /** Every setup that was ever opened, in order. Default: none. */
  setups?(): MaybePromise<readonly SetupBookEntry[]>;
  /** A customer enters a card, named as above, in a setup's session. Default: impossible. */
  completeSetup?(clientSecret: string, card: string): MaybePromise<SetupEnd>;
  /** Takes the unsent messages, signed, and marks them as sent. Default: none. */
  takeEvents?(): MaybePromise<readonly RawEvent[]>;
  /** Signs a message again, with the time of now. Required if there are messages. */
  signEvent?(payload: string): MaybePromise<RawEvent>;
  /**
   * Gives the next request of this call the fault, and returns true. The call is sent right after it.
   * `false` leaves a fault to the driver, which then answers in place of the adapter. Default: `false`.
   */
  fault?(call: DrivenCall, fault: WireFault): MaybePromise<boolean>;
  /** Takes card payments from an account, or gives them back. Default: the driver answers `notSetUp`. */
  enableAccount?(account: string, isEnabled: boolean): MaybePromise<void>;
  /** The processor does not accept a terminal location any more. Default: the driver rejects it. */
  rejectLocation?(terminalLocation: string): MaybePromise<void>;
}
