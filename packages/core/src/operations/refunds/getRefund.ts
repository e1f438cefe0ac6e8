import { find, findPaymentOfBusiness } from '../../call/access.ts';
import { type OperationError, operation } from '../../call/operation.ts';
import type { Run } from '../../call/perform.ts';
import type { Refund } from '../../domain/refund.ts';
import { type RefundView, refundSchema, viewRefund } from '../../schemas/refund.ts';
import { refundedExample, refundShapes } from '../../schemas/shapes/refund.ts';

export interface GetRefundInput {
  readonly contactlessPaymentId: string;
  readonly refundId: string;
}

export const getRefund = {
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
  getRefund: operation<GetRefundInput, RefundView>()({
    limit: 'reads',
    problems: ['forbidden', 'notFound'],
    group: 'Refunds',
    summary: 'Reads a refund',
    description: 'Returns the refund as it was last seen. It does not read the processor.',
    output: refundSchema,
    example: refundedExample,
    shapes: refundShapes,
    run: steps,
  }),
};

export type GetRefundError = OperationError<typeof getRefund>;

async function* steps({ ports, auth }: Run, input: GetRefundInput) {
  const payment = yield* findPaymentOfBusiness(ports, auth, input.contactlessPaymentId);
  const isOfPayment = ({ paymentId }: Refund) => paymentId === payment.id;
  return viewRefund(yield* await find('refund', input.refundId, ports.store.refunds, isOfPayment));
}
