import type { Caller } from '../call/call.ts';
import type { ResultAsync } from '../domain/result.ts';
import type { GetRefundError, GetRefundInput } from '../operations/getRefund.ts';
import type { ListDisputesError, ListDisputesInput } from '../operations/listDisputes.ts';
import type { ListRefundsError, ListRefundsInput } from '../operations/listRefunds.ts';
import type { RefundPaymentError, RefundPaymentInput } from '../operations/refundPayment.ts';
import type { DisputeView, RefundsView, RefundView } from '../schemas/refund.ts';

/** Money of captured payments that goes back (D44, D45). */
export interface RefundUseCases {
  /**
   * Refunds a captured payment, whole or in part: once for each key, and never more than was captured.
   * Without an `amount` it refunds all that is left. For the payment's business or an administrator.
   *
   * Send the same `idempotencyKey` again after a lost response: it returns the same refund.
   *
   * @example
   * const refunded = await chairside.refundPayment(manager, {
   *   contactlessPaymentId: opened.id,
   *   idempotencyKey: crypto.randomUUID(),
   *   body: { amount: '10.00', reason: 'The cut was too short' },
   * });
   * if (refunded.isOk()) console.log(refunded.value.id, refunded.value.state); // rfd_01h…, succeeded
   */
  refundPayment(
    caller: Caller,
    input: RefundPaymentInput,
  ): ResultAsync<RefundView, RefundPaymentError>;

  /**
   * Reads a stored refund. It never asks the processor.
   *
   * @example
   * const read = await chairside.getRefund(manager, {
   *   contactlessPaymentId: opened.id,
   *   refundId: 'rfd_01h455vb4pex5vsknk084sn02q',
   * });
   * const isBack = read.isOk() && read.value.state === 'succeeded';
   */
  getRefund(caller: Caller, input: GetRefundInput): ResultAsync<RefundView, GetRefundError>;

  /**
   * Lists a payment's refunds, including those made at the processor, and the amount that is left.
   *
   * @example
   * const listed = await chairside.listRefunds(manager, { contactlessPaymentId: opened.id });
   * if (listed.isOk()) console.log(listed.value.refundable); // 35.00
   */
  listRefunds(caller: Caller, input: ListRefundsInput): ResultAsync<RefundsView, ListRefundsError>;

  /**
   * Lists disputes for the host, in order of their ids, which begin with a time.
   *
   * @example
   * const open = await chairside.listDisputes({ state: 'open' });
   * const deadlines = open.map((disputes) => disputes.map(({ respondBy }) => respondBy));
   */
  listDisputes(input?: ListDisputesInput): ResultAsync<readonly DisputeView[], ListDisputesError>;
}
