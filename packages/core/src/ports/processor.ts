import type { ProcessorPayment } from '../domain/processor-payment.ts';
import type { ResultAsync } from '../domain/result.ts';
import type { EpochMs } from '../domain/time.ts';
import type {
  CancelPaymentRequest,
  CancelSetupRequest,
  CapturePaymentRequest,
  ConnectionTokenRequest,
  ListedPage,
  ListedPayment,
  ListRequest,
  OpenedAtProcessor,
  OpenPaymentRequest,
  OpenSetupRequest,
  PaymentHandle,
  ProcessorError,
  ProcessorSetup,
  ReceiptDetails,
  SetupHandle,
} from './processor-calls.ts';
import type { ProcessorDisputes } from './processor-disputes.ts';
import type { ProcessorEvent, RawEvent } from './processor-event.ts';
import type { ProcessorRefunds } from './processor-refunds.ts';

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
   * Reads the processor's ledger entry; `undefined` if it has none.
   * @param claimed a reference that a client sent for this payment. The processor checks it:
   * `rejected` with `foreignReference` if it belongs to another payment or to none (D16).
   */
  readPayment(
    payment: PaymentHandle,
    claimed?: string,
  ): ResultAsync<ProcessorPayment | undefined, ProcessorError>;

  /**
   * Captures an authorized payment in full and returns its ledger entry. The caller has just read
   * the entry and compared payment, account, amount and currency (D16). If one of them still
   * differs, the adapter never captures more than the requested amount. A capture of another
   * payment or currency is an error: `rejected`, or `unknown` if the reply shows it afterwards.
   */
  capturePayment(request: CapturePaymentRequest): ResultAsync<ProcessorPayment, ProcessorError>;

  /**
   * Cancels an uncaptured payment, authorized or not, and returns its ledger entry; `undefined` if
   * it has none. `rejected` if it was captured. A canceled payment is returned again under any key.
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

  /**
   * Checks a message's signature and parses the message. `now` bounds the signature's age.
   * `rejected` for an invalid signature or message.
   */
  parseEvent(event: RawEvent, now: EpochMs): ResultAsync<ProcessorEvent, ProcessorError>;
}
