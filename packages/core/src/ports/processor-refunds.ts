import type { ProcessorRefund } from '../domain/refund.ts';
import type { ResultAsync } from '../domain/result.ts';
import type { EpochMs } from '../domain/time.ts';
import type { PaymentHandle, ProcessorError } from './processor-calls.ts';

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
  /** Lists our payments that were refunded in a span: all of them, or an error. */
  listRecent(request: ListRecentRefundsRequest): ResultAsync<RecentRefunds, ProcessorError>;
}

/** `rejected` with this reason: the card has to be read again for its refund (D44). */
export const cardMustBePresent = 'cardMustBePresent';
