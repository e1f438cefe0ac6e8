import type { ProcessorDispute } from '../domain/dispute.ts';
import type { ProcessorPayment } from '../domain/payment.ts';
import type { ProcessorRefund } from '../domain/refund.ts';
import type { ResultAsync } from '../domain/result.ts';
import type { EpochMs } from '../domain/time.ts';
import type {
  AuthorizeMethodRequest,
  CancelPaymentRequest,
  CancelSetupRequest,
  CapturePaymentRequest,
  ConnectionTokenRequest,
  EntriesPage,
  ListedPage,
  ListedPayment,
  ListedPayout,
  ListedReturn,
  ListRequest,
  OpenedAtProcessor,
  OpenPaymentRequest,
  OpenSetupRequest,
  PaymentHandle,
  ProcessorError,
  ProcessorEvent,
  ProcessorSetup,
  RawEvent,
  ReceiptDetails,
  SetupHandle,
} from './processor-calls.ts';

/**
 * The payment processor. An implementation promises:
 * - every call ends within `deadlineMs`, with an error if necessary; no call throws;
 * - two calls with one `idempotencyKey` have one effect, for at least 20 hours;
 * - payments come from the processor's ledger and are checked for shape; an implausible reply is
 *   `unavailable`, `unknown`;
 * - results and errors hold no secret, and no card data beyond `Card`.
 */
export interface Processor {
  /** The longest duration of any call. Leases are longer (D20). */
  readonly deadlineMs: number;

  /** Opens a card-present payment with manual capture. */
  openPayment(request: OpenPaymentRequest): ResultAsync<OpenedAtProcessor, ProcessorError>;

  /**
   * Reads the processor's ledger entry; `undefined` if it has none. If the payment was opened twice and
   * the handle has no reference, it reads the entry that went furthest.
   * @param claimed a reference that a client sent for this payment. The processor checks it:
   * `rejected` with `foreignReference` if it belongs to another payment or to none (D16).
   */
  readPayment(
    payment: PaymentHandle,
    claimed?: string,
  ): ResultAsync<ProcessorPayment | undefined, ProcessorError>;

  /**
   * Captures an authorized payment in full and returns its ledger entry. The caller has just read
   * the entry and compared payment, account, amount and currency (D16). If one of these still
   * differs, the adapter never captures more than the requested amount. A capture of another
   * payment or currency is an error: `rejected`, or `unknown` if the reply shows it afterwards.
   *
   * A processor may accept a capture and end it later. Until its end the payment is `authorized` in every
   * read and list, and this call returns `unknown`, not `answered`, for the same key. For another key it
   * returns the same or `rejected`, and never begins a second capture. After a failed capture the same
   * key returns `rejected`, or `unknown` and `answered`: the next attempt then uses another key.
   */
  capturePayment(request: CapturePaymentRequest): ResultAsync<ProcessorPayment, ProcessorError>;

  /**
   * Cancels an uncaptured payment, authorized or not, and returns its ledger entry; `undefined` if
   * it has none. `rejected` if it was captured. A canceled payment is returned again under any key.
   * While a capture is in flight it returns `rejected` or `unknown`, unless the processor shows the
   * payment canceled and ends the capture as failed.
   */
  cancelPayment(
    request: CancelPaymentRequest,
  ): ResultAsync<ProcessorPayment | undefined, ProcessorError>;

  /**
   * Creates a short-lived token with which a terminal opens a session. Each call makes a new one,
   * which is never stored (D24). `rejected` if the processor does not accept the terminal's
   * location (D34).
   */
  createConnectionToken(
    request: ConnectionTokenRequest,
  ): ResultAsync<{ readonly clientSecret: string }, ProcessorError>;

  /**
   * Names the ledger that lists an account's payments, if several accounts share one; else the account.
   * A sweep lists each ledger once. Without this method each account has its own ledger (D51). For the
   * name of a ledger it returns that name.
   */
  ledgerOf?(account: string): string;

  /**
   * Lists the ledger's payments with our mark, of all its accounts, oldest first, in pages (D27). Each
   * page makes progress or is an error, even while other systems add many payments to the ledger. A
   * cursor that is no longer accepted is `rejected`; the list then begins again.
   */
  listPayments(request: ListRequest): ResultAsync<ListedPage<ListedPayment>, ProcessorError>;

  /** Reads the content of a receipt; `undefined` if no card was read (D36). */
  readReceipt(payment: PaymentHandle): ResultAsync<ReceiptDetails | undefined, ProcessorError>;

  /**
   * Opens a session that collects a customer's payment method (D23). `rejected` with
   * `unknownCustomer` if the processor does not know the customer, or no longer does.
   */
  openSetup(request: OpenSetupRequest): ResultAsync<ProcessorSetup, ProcessorError>;

  /** Reads a setup; `undefined` if the processor has none. */
  readSetup(setup: SetupHandle): ResultAsync<ProcessorSetup | undefined, ProcessorError>;

  /**
   * Cancels an uncompleted setup, so that it can no longer be completed, and returns it;
   * `undefined` if the processor has none. `rejected` if it was completed. A canceled setup is
   * returned again under any key (D41).
   */
  cancelSetup(request: CancelSetupRequest): ResultAsync<ProcessorSetup | undefined, ProcessorError>;

  /** Absent at a processor that cannot give money back. */
  readonly refunds?: ProcessorRefunds | undefined;

  /** Absent at a processor that cannot list disputes. */
  readonly disputes?: ProcessorDisputes | undefined;

  /** Absent at a processor that cannot list its entries and payouts. */
  readonly settlements?: ProcessorSettlements | undefined;

  /** Absent at a processor that cannot charge a saved method. */
  readonly charges?: ProcessorCharges | undefined;

  /**
   * Checks a message's signature and parses the message. `now` bounds the signature's age.
   * `rejected` for an invalid signature or message.
   */
  parseEvent(event: RawEvent, now: EpochMs): ResultAsync<ProcessorEvent, ProcessorError>;
}

/**
 * Charges saved methods without their customers (D49). A charge is a payment: it is read, captured,
 * canceled, listed, refunded and disputed as any other. A processor that cannot do this omits this part.
 */
export interface ProcessorCharges {
  /**
   * Opens a payment and authorizes it with a saved method, as off-session. No money moves before the
   * capture, so a request that arrives late holds an amount and takes none. Returns the ledger entry:
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
  /** The platform's fee goes back in proportion (D46). */
  readonly returnsFee: boolean;
  /** The transfer to the business is reversed, where the platform was charged. */
  readonly reversesTransfer: boolean;
  readonly idempotencyKey: string;
}

/**
 * Gives captured money back. A processor that cannot refund omits this part. A refund is then 422, and
 * refunds made elsewhere are only reported to the host.
 */
export interface ProcessorRefunds {
  /**
   * Refunds a captured payment, in part or in full, and returns the refund. `rejected` with
   * {@link cardMustBePresent} if the card has to be read again.
   */
  refund(request: RefundPaymentRequest): ResultAsync<ProcessorRefund, ProcessorError>;
  /**
   * Lists every refund of a payment, also those made elsewhere: all of them, or an error. A call's
   * refund must be listed by the time when the call can no longer be applied.
   */
  list(payment: PaymentHandle): ResultAsync<readonly ProcessorRefund[], ProcessorError>;
  /**
   * Lists the refunds of our payments in a ledger, those made elsewhere included, in pages as
   * `listPayments` does.
   */
  listRecent(request: ListRequest): ResultAsync<ListedPage<ListedReturn>, ProcessorError>;
}

/** `rejected` with this reason: the card has to be read again for its refund (D44). */
export const cardMustBePresent = 'cardMustBePresent';

/**
 * Reads disputes at the processor (D45). Without this part a dispute is known from its messages alone,
 * so a lost message hides it.
 */
export interface ProcessorDisputes {
  /** Lists every dispute of a payment as it is now: all of them, or an error. */
  list(payment: PaymentHandle): ResultAsync<readonly ProcessorDispute[], ProcessorError>;
  /** Lists the disputes of our payments in a ledger, in pages as `listPayments` does. */
  listRecent(request: ListRequest): ResultAsync<ListedPage<ListedReturn>, ProcessorError>;
}

/**
 * Reads the balance of an account at the processor (D50). Without this part a statement shows our books
 * alone.
 */
export interface ProcessorSettlements {
  /**
   * Lists the entries of our payments in a ledger, oldest first, in pages as `listPayments` does. With
   * `payout` it lists the entries of that payout, of any time, and the sum of its other entries.
   */
  listEntries(
    request: ListRequest & { readonly payout?: string },
  ): ResultAsync<EntriesPage, ProcessorError>;
  /**
   * Lists the payouts of a ledger to the bank of its business, by the time when they were made, in pages
   * as `listPayments` does. A ledger that several businesses share has none.
   */
  listPayouts(request: ListRequest): ResultAsync<ListedPage<ListedPayout>, ProcessorError>;
}
