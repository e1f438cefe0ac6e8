import type { ProcessorPayment } from '../domain/follow-ledger.ts';
import type { SeenSetup } from '../domain/method-setup.ts';
import type { ResultAsync } from '../domain/result.ts';
import type { EpochMs } from '../domain/time.ts';

/**
 * Why a processor did not do what it was asked. Each is a statement about this one call:
 * - `notSetUp`: the account cannot take card payments. Nothing was done.
 * - `rejected`: understood and refused; asking again in the same way is refused again. Nothing was
 *   done.
 * - `rateLimited`: refused for now. Nothing was done.
 * - `unavailable`, `notApplied`: it is proven that nothing was done (it could not be reached).
 * - `unavailable`, `unknown`: it may have been done, or may still be. `answered` says that the
 *   processor itself replied with a failure, which it may replay for ever under the same key.
 */
export type ProcessorError =
  | { readonly kind: 'notSetUp' }
  | { readonly kind: 'rejected'; readonly reason: string }
  | { readonly kind: 'rateLimited' }
  | {
      readonly kind: 'unavailable';
      readonly outcome: 'notApplied' | 'unknown';
      readonly answered: boolean;
    };

/**
 * Names one payment to the processor, by all of it: the account, our id and our mark, and not by the
 * reference alone. What these name differently is another payment: it is not answered, and nothing is
 * said to have been done to it.
 */
export interface PaymentHandle {
  /** The processor account it lives in. */
  readonly account: string;
  /** Our id, which every payment carries at the processor. */
  readonly paymentId: string;
  /** Our mark, so that a sweep never touches what another installation opened (D27). */
  readonly installation: string;
  /** When it was begun here; no payment of ours is older at the processor. */
  readonly begunAt: EpochMs;
  /** The processor's id, once known. */
  readonly reference?: string;
}

export interface OpenPaymentRequest extends PaymentHandle {
  readonly amountMinor: bigint;
  readonly currency: string;
  /** The same key is the same call: the processor does it once (D20). */
  readonly idempotencyKey: string;
}

export interface OpenedAtProcessor {
  readonly clientSecret: string;
  /** Absent at processors that assign an id only when a card is presented. */
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

/** One of our payments at the processor, as a sweep lists it (D27). */
export interface ListedPayment extends ProcessorPayment {
  /** Our id, from the mark that it was opened with. */
  readonly paymentId: string;
  readonly openedAt: EpochMs;
}

export interface ListPaymentsRequest {
  readonly account: string;
  /** Only what carries this mark. */
  readonly installation: string;
  /** Only what was opened in this span; `openedBefore` is not part of it. */
  readonly openedFrom: EpochMs;
  readonly openedBefore: EpochMs;
  readonly limit: number;
  /** Where the last page ended. */
  readonly cursor?: string;
}

/** One of our payments that the processor lists in a form that the adapter cannot read. */
export interface UnreadablePayment {
  /** The processor's id of the payment. */
  readonly reference: string;
  readonly openedAt: EpochMs;
}

export interface ListedPayments {
  readonly items: readonly ListedPayment[];
  /**
   * Payments of this page with our mark that cannot be read, an unknown status for example. One such
   * payment must not hide the others, and a person has to look at it (D43).
   */
  readonly unreadable?: readonly UnreadablePayment[];
  /** The processor's time when it sent this page, where it states one (D42). */
  readonly at?: EpochMs;
  /** Absent on the last page. */
  readonly cursor?: string;
}

/** What a card-present receipt must show beside the payment itself (D36). */
export interface ReceiptDetails {
  /** EMV application identifier, in hex. */
  readonly applicationIdentifier?: string;
  readonly applicationPreferredName?: string;
  readonly authorizationCode?: string;
  /** How the customer was verified: `none`, `signature`, `pin`, `device`, `other`. */
  readonly cardholderVerification?: 'none' | 'signature' | 'pin' | 'device' | 'other';
}

/** Names one setup to the processor, as {@link PaymentHandle} does a payment. */
export interface SetupHandle {
  /** Our id of the setup. */
  readonly setupId: string;
  readonly installation: string;
  readonly begunAt: EpochMs;
  /** The processor's id, once known. */
  readonly reference?: string;
}

export interface OpenSetupRequest extends SetupHandle {
  readonly customerId: string;
  /** True: only methods that can be reused; false: for a single appointment, wallets too (D23). */
  readonly savePaymentMethod: boolean;
  readonly idempotencyKey: string;
}

export interface CancelSetupRequest extends SetupHandle {
  readonly idempotencyKey: string;
}

/** A setup session, on the platform's own account (D23). */
export interface ProcessorSetup extends SeenSetup {
  /** The processor's id of the setup. */
  readonly reference: string;
  readonly clientSecret: string;
  /** The processor's id of the collected method, once completed. */
  readonly paymentMethod?: string;
}

/** A message of the processor, as it arrived. */
export interface RawEvent {
  /** The body, exactly as received: the signature covers its bytes. */
  readonly payload: string;
  /** Header values by lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/** Whose payment a message is about. */
interface AboutPayment {
  readonly paymentId: string;
  readonly installation: string;
  /** In which it happened: whoever owns another one may have named our payment in it. */
  readonly account: string;
}

/** What a processor's message says happened (D25). All else is `ignored`. */
export type ProcessorEvent = {
  /** The processor's id of the message: the same for every delivery. */
  readonly id: string;
} & (
  | (AboutPayment & {
      /** Something about a payment of ours; its ledger entry says what. */
      readonly kind: 'payment';
    })
  | (AboutPayment & {
      readonly kind: 'refund' | 'dispute';
      /**
       * The processor's id of the refund or dispute, the same in every message about it. Where its
       * messages do not name it: the id of the message.
       */
      readonly subject: string;
      /** The processor's id of the payment that was refunded or disputed. */
      readonly reference: string;
      readonly amountMinor: bigint;
    })
  | { readonly kind: 'ignored' }
);

/**
 * The payment processor. An implementation promises:
 * - every call ends within `deadlineMs`, with an error if need be; nothing throws;
 * - two calls with one `idempotencyKey` have one effect, for at least 20 hours;
 * - what it says of a payment comes from the processor's ledger and is checked for shape; an
 *   answer that cannot be believed is `unavailable`, `unknown`;
 * - no secret and nothing of a card beyond `Card` leaves it, in errors least of all.
 */
export interface Processor {
  /** The longest any call takes. Leases are made longer than that (D20). */
  readonly deadlineMs: number;

  /** Opens a card-present payment that is captured by hand. */
  openPayment(request: OpenPaymentRequest): ResultAsync<OpenedAtProcessor, ProcessorError>;

  /**
   * The processor's ledger entry; `undefined` where it has none.
   * @param claimed a reference that a client says belongs to this payment. The processor decides:
   *   `rejected` with `foreignReference` if it belongs to another one or to none (D16).
   */
  readPayment(
    payment: PaymentHandle,
    claimed?: string,
  ): ResultAsync<ProcessorPayment | undefined, ProcessorError>;

  /**
   * Captures an authorized payment in full and answers the ledger entry. Whoever asks has read the
   * entry just before and compared payment, account, amount and currency (D16). Where one of them
   * differs all the same: never more is taken than is asked for, and a capture of another payment or
   * in another currency is an error: `rejected`, or `unknown` if it showed only afterwards.
   */
  capturePayment(request: CapturePaymentRequest): ResultAsync<ProcessorPayment, ProcessorError>;

  /**
   * Cancels a payment that is not captured, an authorized one included, and answers its ledger
   * entry; `undefined` where it has none. `rejected` if it was captured. One that is canceled
   * already is answered again, whatever the key.
   */
  cancelPayment(
    request: CancelPaymentRequest,
  ): ResultAsync<ProcessorPayment | undefined, ProcessorError>;

  /**
   * A short-lived token with which a terminal opens a session. Made anew each time, never kept
   * (D24). `rejected` if the processor does not accept the terminal's location (D34).
   */
  createConnectionToken(
    request: ConnectionTokenRequest,
  ): ResultAsync<{ readonly clientSecret: string }, ProcessorError>;

  /** The account's payments with our mark, oldest first, a page at a time (D27). */
  listPayments(request: ListPaymentsRequest): ResultAsync<ListedPayments, ProcessorError>;

  /** What a receipt must show; `undefined` where no card was read (D36). */
  readReceipt(payment: PaymentHandle): ResultAsync<ReceiptDetails | undefined, ProcessorError>;

  /**
   * Opens a session in which a customer's payment method is collected (D23). `rejected` with
   * `unknownCustomer` where the processor has no such customer, or no longer.
   */
  openSetup(request: OpenSetupRequest): ResultAsync<ProcessorSetup, ProcessorError>;

  /** The processor's view of a setup; `undefined` where it has none. */
  readSetup(setup: SetupHandle): ResultAsync<ProcessorSetup | undefined, ProcessorError>;

  /**
   * Cancels a setup that is not completed, so that nobody can complete it any more, and returns it;
   * `undefined` where the processor has none. `rejected` if it was completed. One that is canceled
   * already is returned again, whatever the key (D41).
   */
  cancelSetup(request: CancelSetupRequest): ResultAsync<ProcessorSetup | undefined, ProcessorError>;

  /**
   * Checks a message's signature and says what it is about. `now` bounds the signature's age.
   * `rejected` for a signature that does not hold or a message that cannot be read.
   */
  parseEvent(event: RawEvent, now: EpochMs): ResultAsync<ProcessorEvent, ProcessorError>;
}

/** `rejected` with this reason: a reference belongs to another payment (D16). */
export const foreignReference = 'foreignReference';

/** `rejected` with this reason: the customer is not known, or not any more (D23). */
export const unknownCustomer = 'unknownCustomer';
