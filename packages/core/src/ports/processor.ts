import type { ChargePurpose } from '../charge/charge.ts';
import type { ProcessorAccount } from '../host/host.ts';
import type { ProcessorPayment } from '../payment/payment.ts';
import type { ProcessorDispute, SeenDispute } from '../refund/dispute.ts';
import type { ProcessorRefund } from '../refund/refund.ts';
import type { SeenSetup } from '../setup/setup.ts';
import type { OtherEntry, Payout, PayoutState, SettlementEntry } from '../statement/settlement.ts';
import type { ResultAsync } from '../values/result.ts';
import type { EpochMs } from '../values/time.ts';

/** Where payments live: test payments must not pass for real ones. */
export interface ProcessorWorld {
  /** The name of the processor, such as `stripe`. */
  readonly processor: string;
  readonly mode: 'test' | 'live';
  /** The platform's account, if the adapter knows it. */
  readonly account?: string | undefined;
}

/**
 * The payment processor. An implementation promises:
 * - every call ends within `deadlineMs`, with an error if necessary; no call throws;
 * - two calls with one `idempotencyKey` have one effect, for at least 20 hours;
 * - payments come from the processor's books and are checked for shape; an implausible reply is
 *   `unavailable`, `unknown`;
 * - results and errors hold no secret, and no card data beyond `Card`.
 */
export interface Processor {
  /**
   * Which processor it is, and whether its payments are real. A store belongs to one, and Chairside refuses
   * another. Without this member only the installation is compared.
   */
  readonly world?: ProcessorWorld | undefined;

  /** The longest duration of any call. Leases are longer. */
  readonly deadlineMs: number;

  /** Opens a card-present payment with manual capture. */
  openPayment(request: OpenPaymentRequest): ResultAsync<OpenedAtProcessor, ProcessorError>;

  /**
   * Reads the processor's entry; `undefined` if it has none. If the payment was opened twice and
   * the handle has no reference, it reads the entry that went furthest: `captured`, then `authorized`,
   * `processing`, `failed`, `created` and last `canceled`.
   * @param claimed a reference that a client sent for this payment. The processor checks it:
   * `rejected` with `foreignReference` if it belongs to another payment or to none.
   */
  readPayment(
    payment: PaymentHandle,
    claimed?: string,
  ): ResultAsync<ProcessorPayment | undefined, ProcessorError>;

  /**
   * Captures an authorized payment in full and returns its entry. The caller has just read
   * the entry and compared payment, account, amount and currency. If one of these still
   * differs, the adapter never captures more than the requested amount. A capture of another
   * payment or currency is an error: `rejected`, or `unknown` if the reply shows it afterwards.
   *
   * A processor may accept a capture and end it later. Until its end the payment is `authorized` in every
   * read and list, and this call returns `unknown`, not `answered`, for the same key. For another key it
   * returns the same or `rejected`, and never begins a second capture. After a failed capture the same
   * key returns `rejected`, or `unknown` and `answered`: the next attempt then uses another key. If the
   * payment is `failed` by then, the core cancels it, which frees the reserved amount. If a capture
   * fails after it was shown, no read or list shows the payment as `captured` any more, and a person is asked.
   */
  capturePayment(request: CapturePaymentRequest): ResultAsync<ProcessorPayment, ProcessorError>;

  /**
   * Cancels an uncaptured payment, authorized or not, and returns its entry; `undefined` if
   * it has none. `rejected` if it was captured. A canceled payment is returned again under any key.
   * While a capture is in flight it returns `rejected` or `unknown`, unless the processor shows the
   * payment canceled and ends the capture as failed.
   *
   * A processor may accept a cancelation and end it later. Until its end this call returns `unknown`, not
   * `answered`, for the same key. After a failed cancelation the same key returns `rejected`, or `unknown`
   * and `answered`.
   */
  cancelPayment(
    request: CancelPaymentRequest,
  ): ResultAsync<ProcessorPayment | undefined, ProcessorError>;

  /**
   * Creates a short-lived token with which a terminal opens a session. Each call makes a new one,
   * which is never stored. `rejected` if the processor does not accept the terminal's
   * location.
   */
  createConnectionToken(
    request: ConnectionTokenRequest,
  ): ResultAsync<{ readonly clientSecret: string }, ProcessorError>;

  /**
   * Names the books that list an account's payments, if several accounts share them; else the account.
   * A sweep reads such books once. Without this method each account has its own books. For the
   * name of the books it returns that name.
   */
  booksOf?(account: string): string;

  /**
   * Lists the books' payments with our mark, of all its accounts, oldest first, in pages. Each
   * page makes progress or is an error, even while other systems add many payments to the books. A
   * cursor that is no longer accepted is `rejected`; the list then begins again.
   */
  listPayments(request: ListRequest): ResultAsync<ListedPage<ListedPayment>, ProcessorError>;

  /** Reads the content of a receipt; `undefined` if no card was read. */
  readReceipt(payment: PaymentHandle): ResultAsync<ReceiptDetails | undefined, ProcessorError>;

  /**
   * Opens a session that collects a customer's payment method. `rejected` with
   * `unknownCustomer` if the processor does not know the customer, or no longer does.
   */
  openSetup(request: OpenSetupRequest): ResultAsync<ProcessorSetup, ProcessorError>;

  /**
   * Reads a setup; `undefined` if the processor has none. If it was opened twice and the handle has no
   * reference, it reads the completed one.
   */
  readSetup(setup: SetupHandle): ResultAsync<ProcessorSetup | undefined, ProcessorError>;

  /**
   * Cancels an uncompleted setup, so that it can no longer be completed, and returns it;
   * `undefined` if the processor has none. `rejected` if it was completed. A canceled setup is
   * returned again under any key.
   */
  cancelSetup(request: CancelSetupRequest): ResultAsync<ProcessorSetup | undefined, ProcessorError>;

  /** Gives captured money back. */
  readonly refunds: ProcessorRefunds;

  /** Reads disputes. */
  readonly disputes: ProcessorDisputes;

  /** Absent at a processor that cannot list its entries and payouts. */
  readonly settlements?: ProcessorSettlements | undefined;

  /** Absent at a processor that cannot charge a saved method. */
  readonly charges?: ProcessorCharges | undefined;

  /**
   * Looks for what a person has to mend at the processor: of an account, or without one of the key and of the
   * way of messages. It reads alone. Absent at a processor that cannot tell.
   */
  diagnose?(account?: ProcessorAccount): ResultAsync<readonly ProcessorFinding[], ProcessorError>;

  /**
   * Checks a message's signature and parses the message. `now` bounds the signature's age: half an hour
   * is too much, and so is half an hour ahead.
   * `rejected` for an invalid signature or message.
   */
  parseEvent(event: RawEvent, now: EpochMs): ResultAsync<ProcessorEvent, ProcessorError>;
}

/** One thing that an adapter has looked at, for an operator. It holds no secret. */
export interface ProcessorFinding {
  readonly level: 'ok' | 'warning' | 'error';
  /** One sentence. */
  readonly found: string;
  /** What a person does about it. */
  readonly action?: string;
}

/**
 * Charges saved methods without their customers. A charge is a payment: it is read, captured,
 * canceled, listed, refunded and disputed as any other. A processor that cannot do this omits this part.
 */
export interface ProcessorCharges {
  /**
   * Opens a payment and authorizes it with a saved method, as off-session. No money moves before the
   * capture, so a request that arrives late holds an amount and takes none. Returns the entry:
   * `authorized`, `processing`, or `failed` with its refusal. `rejected` with `methodGone` if the
   * processor no longer has the method; it has no entry then.
   */
  authorize(request: AuthorizeMethodRequest): ResultAsync<ProcessorPayment, ProcessorError>;
}

export interface RefundPaymentRequest extends PaymentHandle {
  /** Our id, with which the processor marks the refund. */
  readonly refundId: string;
  readonly amountMinor: bigint;
  readonly currency: string;
  /** The platform's fee goes back in proportion. */
  readonly returnsFee: boolean;
  /** The transfer to the business is reversed, where the platform was charged. */
  readonly reversesTransfer: boolean;
  readonly idempotencyKey: string;
}

/** Gives captured money back. */
export interface ProcessorRefunds {
  /**
   * Refunds a captured payment, in part or in full, and returns the refund. `rejected` with
   * {@link cardMustBePresent} if the card has to be read again, {@link insufficientBalance} if funds have to be added.
   */
  refund(request: RefundPaymentRequest): ResultAsync<ProcessorRefund, ProcessorError>;
  /**
   * Lists every refund of a payment, also those made elsewhere: all of them, or an error. A call's
   * refund must be listed by the time when the call can no longer be applied.
   */
  list(payment: PaymentHandle): ResultAsync<readonly ProcessorRefund[], ProcessorError>;
  /**
   * Lists the refunds of our payments in the books, those made elsewhere included, in pages as
   * `listPayments` does.
   */
  listRecent(request: ListRequest): ResultAsync<ListedPage<ListedReturn>, ProcessorError>;
}

/** `rejected` with this reason: the card has to be read again for its refund. */
export const cardMustBePresent = 'cardMustBePresent';
/** `rejected` with this reason: the balance of the account does not cover the refund. */
export const insufficientBalance = 'insufficientBalance';

/** Reads disputes at the processor. */
export interface ProcessorDisputes {
  /** Lists every dispute of a payment as it is now: all of them, or an error. */
  list(payment: PaymentHandle): ResultAsync<readonly ProcessorDispute[], ProcessorError>;
  /** Lists the disputes of our payments in the books, in pages as `listPayments` does. */
  listRecent(request: ListRequest): ResultAsync<ListedPage<ListedReturn>, ProcessorError>;
}

/**
 * Reads the balance of an account at the processor. Without this part a statement shows our books
 * alone.
 */
export interface ProcessorSettlements {
  /**
   * Lists the entries of our payments in the books, oldest first, in pages as `listPayments` does. With
   * `payout` it lists the entries of that payout, of any time, and the sum of its other entries.
   */
  listEntries(
    request: ListRequest & { readonly payout?: string },
  ): ResultAsync<EntriesPage, ProcessorError>;
  /**
   * Lists the payouts of the books to the bank of its business, by the time when they were made, in pages
   * as `listPayments` does. Books that several businesses share have none.
   */
  listPayouts(request: ListRequest): ResultAsync<ListedPage<ListedPayout>, ProcessorError>;
}

/**
 * Why a processor call failed. Each error describes only this one call:
 * - `notSetUp`: the account cannot take card payments. The call was not applied. `repeated` means that the
 *   processor has stored this refusal under the key, and repeats it after the account was set up. It proves
 *   that no request of that key is still running.
 * - `rejected`: the processor rejects this call, now and when repeated. It was not applied.
 * - `rateLimited`: rejected for now. It was not applied. It names no time to wait: the adapter returns
 *   at once, and the core's retries wait longer each time.
 * - `unavailable`, `notApplied`: it is proven that the call was not applied (no connection).
 * - `unavailable`, `unknown`: the call was applied, or still may be. `answered` means that the
 *   processor itself replied with a failure, which it may replay for ever under the same key. It proves
 *   that no request of that key is still running, because the next attempt uses another key.
 *   `why` tells the operator of a cause that no retry mends: the processor rejects our API key, or denies a
 *   payment whose reference it gave us, so that the key or the account may be another's.
 */
export type ProcessorError =
  | { readonly kind: 'notSetUp'; readonly repeated?: true }
  | { readonly kind: 'rejected'; readonly reason: string }
  | { readonly kind: 'rateLimited' }
  | {
      readonly kind: 'unavailable';
      readonly outcome: 'notApplied' | 'unknown';
      readonly answered: boolean;
      readonly why?: 'keyRejected' | 'denied';
    };

/**
 * Identifies one payment at the processor by the account, our id and our mark together; the
 * reference alone is not enough. If any of these differ, it is another payment: it is not returned,
 * and no effect on it is reported.
 */
export interface PaymentHandle {
  /** The processor account it lives in. */
  readonly account: string;
  /** Our id, which every payment carries at the processor. */
  readonly paymentId: string;
  /** Our mark, so that a sweep never touches payments of another installation. */
  readonly installation: string;
  /** When it was begun here. Our payment at the processor is never older. */
  readonly begunAt: EpochMs;
  /** The time of this call. Its age counts from `begunAt` to it, because an adapter's clock may be wrong. */
  readonly now?: EpochMs;
  /** The processor's id, once it is known. */
  readonly reference?: string;
}

/**
 * What a payment is for, kept at the processor beside the marks that identify the payment. A database that
 * was restored from an older backup learns it from there.
 */
export interface VisitMarks {
  readonly appointmentId: string;
  readonly businessId: string;
  readonly barberId: string;
  /** Present for a charge of a saved method. */
  readonly purpose?: ChargePurpose;
  /** The other visits that it pays, at most 19, each with its part of the amount, such as `20.00`. */
  readonly alsoPays?: readonly OtherVisitMarks[];
}

/** Another visit that a payment pays. */
export interface OtherVisitMarks extends Pick<VisitMarks, 'appointmentId' | 'barberId'> {
  readonly amount: string;
}

export interface OpenPaymentRequest extends PaymentHandle {
  readonly visit?: VisitMarks;
  /** All that the card is charged, the tip included. Above zero, as in every request. */
  readonly amountMinor: bigint;
  /** The part of the amount that is tip, for the processor's own lists. */
  readonly tipMinor?: bigint;
  readonly currency: string;
  /** The platform's fee, if the business has one: above zero, and at most the amount. */
  readonly applicationFeeMinor?: bigint;
  /**
   * The same key means the same call, which the processor applies once. At most 64 characters of
   * `a-z`, `0-9`, `_` and `:`. The keys of one payment differ only at their end.
   */
  readonly idempotencyKey: string;
}

/** Charges a saved method without the customer. */
export interface AuthorizeMethodRequest extends OpenPaymentRequest {
  readonly method: SavedMethod;
}

/** A method that a completed setup has collected, on the platform's account. */
export interface SavedMethod {
  readonly customerId: string;
  /** The processor's id of the setup, whose mandate covers the charge. */
  readonly setupReference: string;
  /** The processor's id of the method. */
  readonly paymentMethod: string;
}

/** The reason of `rejected` for a saved method that the processor no longer has. */
export const methodGone = 'methodGone';

export interface OpenedAtProcessor {
  readonly clientSecret: string;
  /** Absent for processors that assign an id only when a card is presented. */
  readonly reference?: string;
}

export interface CapturePaymentRequest extends PaymentHandle {
  readonly amountMinor: bigint;
  readonly currency: string;
  readonly idempotencyKey: string;
}

export interface CancelPaymentRequest extends PaymentHandle {
  readonly idempotencyKey: string;
}

export interface ConnectionTokenRequest {
  readonly account: string;
  readonly terminalLocation?: string;
}

/** One of our payments at the processor, as a sweep lists it. */
export interface ListedPayment extends ProcessorPayment {
  /** Our id, from the mark that it was opened with. */
  readonly paymentId: string;
  readonly openedAt: EpochMs;
  /** As it was opened; absent if the processor does not keep it. */
  readonly visit?: VisitMarks;
}

/** Asks for a page of the books' payments, refunds or disputes. */
export interface ListRequest {
  /** An account, or the books that `booksOf` names for it. */
  readonly books: string;
  /** Lists only payments with this mark, or refunds and disputes of such payments. */
  readonly installation: string;
  /** Lists only what was opened from `openedFrom` (included) to `openedBefore` (excluded). */
  readonly openedFrom: EpochMs;
  readonly openedBefore: EpochMs;
  /** From 1 to 100. */
  readonly limit: number;
  /** The end of the previous page. Another process may send it, days later. */
  readonly cursor?: string;
}

/** One page of the books' payments, refunds or disputes, oldest first. */
export interface ListedPage<Item> {
  readonly items: readonly Item[];
  /**
   * Payments of this page with our mark that the adapter cannot read, for example because of an
   * unknown status. They must not hide the others, and a person has to look at them.
   */
  readonly unreadable?: readonly UnreadablePayment[];
  /** Items whose owner cannot be read; items of other systems are left out. */
  readonly skipped?: readonly SkippedItem[];
  /** The processor's time when it sent this page, if it states one. */
  readonly at?: EpochMs;
  /** Absent on the last page. */
  readonly cursor?: string;
}

/** An item that may be ours or not. The observer receives its id once. */
export interface SkippedItem {
  /** The processor's id. */
  readonly reference: string;
  /** Absent if the adapter cannot read it: then each pass over the list reports the item. */
  readonly openedAt?: EpochMs;
}

/** One of our payments that the adapter cannot read in the processor's list. */
export interface UnreadablePayment {
  /** The account that its mark names; the books, if the mark names no account. */
  readonly account: string;
  /** The processor's id of the payment. */
  readonly reference: string;
  readonly openedAt: EpochMs;
}

/** A refund or dispute in the books' list, by the payment that it concerns. */
export interface ListedReturn {
  /** Our id, from the mark of the payment. */
  readonly paymentId: string;
  /** When the refund or dispute was made. */
  readonly openedAt: EpochMs;
}

/** An entry of one of our payments in the balance of its account. */
export interface ListedEntry
  extends Omit<SettlementEntry, 'id' | 'businessId' | 'at' | 'payoutId'> {
  /** The processor's id of the entry. */
  readonly reference: string;
  /** When the balance changed. */
  readonly openedAt: EpochMs;
}

/** One page of entries. */
export interface EntriesPage extends ListedPage<ListedEntry> {
  /** Of a payout: the sum of the page's entries that are not ours, after fees. */
  readonly othersMinor?: bigint;
  /** Of a payout: what these entries are, as far as the processor says it. */
  readonly others?: readonly OtherEntry[];
  /** Of a payout: the processor's ids of failed payouts that it pays again. */
  readonly repaid?: readonly string[];
  /**
   * Of the books: payouts whose amount came back to the balance within the page, however late. The list of
   * payouts shows that too, but upkeep does not read an old part of it again.
   */
  readonly returned?: readonly ReturnedPayout[];
}

/** A payout that does not reach the bank, or has left it again. */
export interface ReturnedPayout extends Pick<Payout, 'reference'> {
  readonly state: Exclude<PayoutState, 'pending' | 'paid'>;
}

/** A payout as the processor lists it. */
export interface ListedPayout
  extends Pick<
    Payout,
    'reference' | 'currency' | 'amountMinor' | 'state' | 'arrivesAt' | 'failure' | 'isItemized'
  > {
  /** When it was made. */
  readonly openedAt: EpochMs;
  /** The processor's id of an earlier payout that this one takes back from the bank. */
  readonly takesBack?: string;
}

/**
 * The content of a card-present receipt besides the payment itself. What the processor does not
 * show is absent. Texts have at most 255 characters.
 */
export interface ReceiptDetails {
  /** EMV application identifier, in hex. */
  readonly applicationIdentifier?: string;
  readonly applicationPreferredName?: string;
  /** The account that the card drew on, such as `credit` or `checking`. */
  readonly accountType?: string;
  readonly authorizationCode?: string;
  /** The issuer's answer, in hex. */
  readonly authorizationResponseCode?: string;
  /** Such as `TC` or `ARQC`. */
  readonly applicationCryptogramType?: string;
  readonly applicationCryptogram?: string;
  /** In hex. */
  readonly terminalVerificationResults?: string;
  /** In hex. */
  readonly transactionStatusInformation?: string;
  /** How the customer was verified: `none`, `signature`, `pin`, `device`, `other`. */
  readonly cardholderVerification?: 'none' | 'signature' | 'pin' | 'device' | 'other';
}

/** Identifies one setup at the processor, as {@link PaymentHandle} does a payment. */
export interface SetupHandle extends Omit<PaymentHandle, 'account' | 'paymentId'> {
  /** Our id of the setup. */
  readonly setupId: string;
}

export interface OpenSetupRequest extends SetupHandle {
  readonly customerId: string;
  /** True: only reusable methods. False: for a single appointment, wallets included. */
  readonly savePaymentMethod: boolean;
  readonly idempotencyKey: string;
}

export interface CancelSetupRequest extends SetupHandle {
  readonly idempotencyKey: string;
}

/** A setup session, on the platform's own account. */
export interface ProcessorSetup extends SeenSetup {
  /** The processor's id of the setup. */
  readonly reference: string;
  /** Empty if the reply does not show it. */
  readonly clientSecret: string;
  /** The processor's id of the collected method, once the setup is completed. */
  readonly paymentMethod?: string;
}

/** The reason of `rejected` for a reference that belongs to another payment. */
export const foreignReference = 'foreignReference';

/**
 * The reason of `rejected` for a customer that the processor does not know, or no longer knows.
 */
export const unknownCustomer = 'unknownCustomer';

/** A message of the processor, unparsed. */
export interface RawEvent {
  /** The body exactly as received, because the signature covers its bytes. */
  readonly payload: string;
  /** Header values by lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/** The payment that a message concerns. */
interface AboutPayment {
  readonly paymentId: string;
  readonly installation: string;
  /** The account of the event. The owner of another account may have copied our payment's id. */
  readonly account: string;
}

/** The event in a processor's message. Types that are not listed are `ignored`. */
export type ProcessorEvent = {
  /** The processor's id of the message, the same for every delivery. */
  readonly id: string;
} & (
  | (AboutPayment & {
      /** A change of one of our payments; the entry shows which. */
      readonly kind: 'payment';
    })
  | (AboutPayment & {
      readonly kind: 'refund' | 'dispute';
      /**
       * The processor's id of the refund or dispute, the same in every message about it. If the
       * messages do not name it, the id of the message.
       */
      readonly subject: string;
      /** The processor's id of the payment that was refunded or disputed. */
      readonly reference: string;
      readonly amountMinor: bigint;
      /** The dispute's details; without them the dispute was opened. */
      readonly dispute?: SeenDispute;
    })
  | (AboutPayment & {
      /** The card's bank reports the payment as fraud, and its cardholder may dispute it. */
      readonly kind: 'fraudWarning';
      /** The processor's id of the payment. */
      readonly reference: string;
    })
  | {
      readonly kind: 'ignored';
      /** Why it could not be read, if it may be ours. The observer receives it. */
      readonly why?: string;
    }
);
