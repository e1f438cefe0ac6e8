import type { ProcessorRefund } from '../domain/refund.ts';
import type { ResultAsync } from '../domain/result.ts';
import type {
  ListedPage,
  ListedReturn,
  ListRequest,
  PaymentHandle,
  ProcessorError,
} from './processor-calls.ts';

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
