import type { SeenDispute } from '../domain/dispute.ts';
import type { SeenSetup } from '../domain/method-setup.ts';
import type { ProcessorPayment } from '../domain/payment.ts';
import type { Payout, SettlementEntry } from '../domain/settlement.ts';
import type { EpochMs } from '../domain/time.ts';

/**
 * Why a processor call failed. Each error describes only this one call:
 * - `notSetUp`: the account cannot take card payments. The call was not applied.
 * - `rejected`: the processor rejects this call, now and when repeated. It was not applied.
 * - `rateLimited`: rejected for now. It was not applied. It names no time to wait: the adapter returns
 *   at once, and the core's retries wait longer each time.
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
  /** All that the card is charged, the tip included. Above zero, as in every request. */
  readonly amountMinor: bigint;
  /** The part of the amount that is tip, for the processor's own lists (D48). */
  readonly tipMinor?: bigint;
  readonly currency: string;
  /** The platform's fee, if the business has one: above zero, and at most the amount (D46). */
  readonly applicationFeeMinor?: bigint;
  /**
   * The same key means the same call, which the processor applies once (D20). At most 64 characters of
   * `a-z`, `0-9`, `_` and `:`. The keys of one payment differ only at their end.
   */
  readonly idempotencyKey: string;
}

/** Charges a saved method without the customer (D49). */
export interface AuthorizeMethodRequest extends OpenPaymentRequest {
  readonly method: SavedMethod;
}

/** A method that a completed setup has collected, on the platform's account (D23). */
export interface SavedMethod {
  readonly customerId: string;
  /** The processor's id of the setup, whose mandate covers the charge. */
  readonly setupReference: string;
  /** The processor's id of the method. */
  readonly paymentMethod: string;
}

/** The reason of `rejected` for a saved method that the processor no longer has (D49). */
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

/** One of our payments at the processor, as a sweep lists it (D27). */
export interface ListedPayment extends ProcessorPayment {
  /** Our id, from the mark that it was opened with. */
  readonly paymentId: string;
  readonly openedAt: EpochMs;
}

/** Asks for a page of a ledger's payments, refunds or disputes (D27, D51). */
export interface ListRequest {
  /** An account, or the ledger that `ledgerOf` names for it. */
  readonly ledger: string;
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

/** One page of a ledger's payments, refunds or disputes, oldest first. */
export interface ListedPage<Item> {
  readonly items: readonly Item[];
  /**
   * Payments of this page with our mark that the adapter cannot read, for example because of an
   * unknown status. They must not hide the others, and a person has to look at them (D43).
   */
  readonly unreadable?: readonly UnreadablePayment[];
  /** Items whose owner cannot be read; items of other systems are left out (D51). */
  readonly skipped?: readonly SkippedItem[];
  /** The processor's time when it sent this page, if it states one (D42). */
  readonly at?: EpochMs;
  /** Absent on the last page. */
  readonly cursor?: string;
}

/** An item that may be ours or not. The observer receives its id once (D51). */
export interface SkippedItem {
  /** The processor's id. */
  readonly reference: string;
  /** Absent if the adapter cannot read it: then each pass over the list reports the item. */
  readonly openedAt?: EpochMs;
}

/** One of our payments that the adapter cannot read in the processor's list. */
export interface UnreadablePayment {
  /** The account that its mark names; the ledger, if the mark names no account. */
  readonly account: string;
  /** The processor's id of the payment. */
  readonly reference: string;
  readonly openedAt: EpochMs;
}

/** A refund or dispute in a ledger's list, by the payment that it concerns. */
export interface ListedReturn {
  /** Our id, from the mark of the payment. */
  readonly paymentId: string;
  /** When the refund or dispute was made. */
  readonly openedAt: EpochMs;
}

/** An entry of one of our payments in the balance of its account (D50). */
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
  /** Of a payout: the processor's ids of failed payouts that it pays again. */
  readonly repaid?: readonly string[];
}

/** A payout as the processor lists it. */
export interface ListedPayout
  extends Pick<
    Payout,
    'reference' | 'currency' | 'amountMinor' | 'state' | 'arrivesAt' | 'failure' | 'isItemized'
  > {
  /** When it was made. */
  readonly openedAt: EpochMs;
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

/** The reason of `rejected` for a reference that belongs to another payment (D16). */
export const foreignReference = 'foreignReference';

/**
 * The reason of `rejected` for a customer that the processor does not know, or no longer knows
 * (D23).
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
