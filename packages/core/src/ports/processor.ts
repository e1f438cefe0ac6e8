import type { SeenDispute } from '../domain/dispute.ts';
import type { ProcessorPayment } from '../domain/follow-ledger.ts';
import type { SeenSetup } from '../domain/method-setup.ts';
import type { ProcessorRefund } from '../domain/refund.ts';
import type { ResultAsync } from '../domain/result.ts';
import type { EpochMs } from '../domain/time.ts';

/**
 * Why a processor call failed. Each error describes only this one call:
 * - `notSetUp`: the account cannot take card payments. The call was not applied.
 * - `rejected`: the processor rejects this call, now and when repeated. It was not applied.
 * - `rateLimited`: rejected for now. It was not applied.
 * - `unavailable`, `notApplied`: it is proven that the call was not applied (no connection).
 * - `unavailable`, `unknown`: the call was applied, or still may be. `answered` means that the
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
 * Identifies one payment at the processor by the account, our id and our mark together; the
 * reference alone is not enough. If any of these differ, it is another payment: it is not returned,
 * and no effect on it is reported.
 */
export interface PaymentHandle {
  /** The processor account it lives in. */
  readonly account: string;
  /** Our id, which every payment carries at the processor. */
  readonly paymentId: string;
  /** Our mark, so that a sweep never touches payments of another installation (D27). */
  readonly installation: string;
  /** When it was begun here. Our payment at the processor is never older. */
  readonly begunAt: EpochMs;
  /** The processor's id, once it is known. */
  readonly reference?: string;
}

export interface OpenPaymentRequest extends PaymentHandle {
  readonly amountMinor: bigint;
  readonly currency: string;
  /** The platform's fee, if the business has one (D46). */
  readonly applicationFeeMinor?: bigint;
  /** The same key means the same call, which the processor applies once (D20). */
  readonly idempotencyKey: string;
}

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

export interface ListRecentRefundsRequest {
  /** An account, or the ledger that `ledgerOf` names for it. */
  readonly ledger: string;
  /** Only refunds of payments with this mark. */
  readonly installation: string;
  /** Only refunds that were made in this span; `madeBefore` is not part of it. */
  readonly madeFrom: EpochMs;
  readonly madeBefore: EpochMs;
}

/** Which of our payments were refunded in a span. */
export interface RecentRefunds {
  /** Our ids, each once. */
  readonly paymentIds: readonly string[];
  /** The processor's time when it sent this, where it states one (D42). */
  readonly at?: EpochMs;
}

/**
 * Gives captured money back. A processor that cannot leaves it out: then a refund is 422, and refunds
 * made elsewhere are only told on.
 */
export interface ProcessorRefunds {
  /**
   * Gives a part of a captured payment back, or all of it, and returns the refund. `rejected` with
   * {@link cardMustBePresent} where the card has to be read again.
   */
  refund(request: RefundPaymentRequest): ResultAsync<ProcessorRefund, ProcessorError>;
  /**
   * Lists every refund of a payment, also those made elsewhere: all of them, or an error. A call's
   * refund must be listed by the time when the call can no longer be applied.
   */
  list(payment: PaymentHandle): ResultAsync<readonly ProcessorRefund[], ProcessorError>;
  /** Our payments of which refunds were made in a span: all of them, or an error. */
  listRecent(request: ListRecentRefundsRequest): ResultAsync<RecentRefunds, ProcessorError>;
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
  /** An account, or the ledger that `ledgerOf` names for it. */
  readonly ledger: string;
  /** Lists only payments with this mark. */
  readonly installation: string;
  /** Lists only payments opened from `openedFrom` (included) to `openedBefore` (excluded). */
  readonly openedFrom: EpochMs;
  readonly openedBefore: EpochMs;
  readonly limit: number;
  /** The end of the previous page. */
  readonly cursor?: string;
}

/** One of our payments that the adapter cannot read in the processor's list. */
export interface UnreadablePayment {
  /** The account that its mark names; the ledger, if the mark names no account. */
  readonly account: string;
  /** The processor's id of the payment. */
  readonly reference: string;
  readonly openedAt: EpochMs;
}

export interface ListedPayments {
  readonly items: readonly ListedPayment[];
  /**
   * Payments of this page with our mark that the adapter cannot read, for example because of an
   * unknown status. They must not hide the others, and a person has to look at them (D43).
   */
  readonly unreadable?: readonly UnreadablePayment[];
  /** The processor's time when it sent this page, if it states one (D42). */
  readonly at?: EpochMs;
  /**
   * The pages up to this one hold all payments that were opened before this time. Also states progress
   * on a page without payments; else the last payment of the page does.
   */
  readonly readBefore?: EpochMs;
  /** Absent on the last page. */
  readonly cursor?: string;
}

/** The content of a card-present receipt besides the payment itself (D36). */
export interface ReceiptDetails {
  /** EMV application identifier, in hex. */
  readonly applicationIdentifier?: string;
  readonly applicationPreferredName?: string;
  readonly authorizationCode?: string;
  /** How the customer was verified: `none`, `signature`, `pin`, `device`, `other`. */
  readonly cardholderVerification?: 'none' | 'signature' | 'pin' | 'device' | 'other';
}

/** Identifies one setup at the processor, as {@link PaymentHandle} does a payment. */
export interface SetupHandle {
  /** Our id of the setup. */
  readonly setupId: string;
  readonly installation: string;
  readonly begunAt: EpochMs;
  /** The processor's id, once it is known. */
  readonly reference?: string;
}

export interface OpenSetupRequest extends SetupHandle {
  readonly customerId: string;
  /** True: only reusable methods. False: for a single appointment, wallets included (D23). */
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
  /** The processor's id of the collected method, once the setup is completed. */
  readonly paymentMethod?: string;
}

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

/** The event in a processor's message (D25). Types that are not listed are `ignored`. */
export type ProcessorEvent = {
  /** The processor's id of the message, the same for every delivery. */
  readonly id: string;
} & (
  | (AboutPayment & {
      /** A change of one of our payments; the ledger entry shows which. */
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
  | { readonly kind: 'ignored' }
);

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
   * A sweep lists each ledger once. Without this method each account has its own ledger (D61). For the
   * name of a ledger it returns that name.
   */
  ledgerOf?(account: string): string;

  /**
   * Lists the ledger's payments with our mark, of all its accounts, oldest first, in pages (D27). Each
   * page makes progress or is an error, even while other systems add many payments to the ledger.
   */
  listPayments(request: ListPaymentsRequest): ResultAsync<ListedPayments, ProcessorError>;

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

  /**
   * Checks a message's signature and parses the message. `now` bounds the signature's age.
   * `rejected` for an invalid signature or message.
   */
  parseEvent(event: RawEvent, now: EpochMs): ResultAsync<ProcessorEvent, ProcessorError>;
}

/** The reason of `rejected` for a reference that belongs to another payment (D16). */
export const foreignReference = 'foreignReference';

/**
 * The reason of `rejected` for a customer that the processor does not know, or no longer knows
 * (D23).
 */
export const unknownCustomer = 'unknownCustomer';

/** `rejected` with this reason: the card has to be read again for its refund (D44). */
export const cardMustBePresent = 'cardMustBePresent';
