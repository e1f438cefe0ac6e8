import { find, findPaymentOfBusiness } from '../call/access.ts';
import type { Caller } from '../call/call.ts';
import { type CommonProblem, perform, type Run } from '../call/perform.ts';
import type { ProblemOf } from '../domain/problem.ts';
import type { Refund } from '../domain/refund.ts';
import type { ResultAsync } from '../domain/result.ts';
import type { Ports } from '../ports/ports.ts';
import { type RefundView, viewRefund } from '../schemas/refund.ts';

export interface GetRefundInput {
  readonly contactlessPaymentId: string;
  readonly refundId: string;
}

export type GetRefundError = ProblemOf<'forbidden' | 'notFound' | CommonProblem>;

/** Reads a refund from the store, never from the processor (D44). */
export function getRefund(
  ports: Ports,
  caller: Caller,
  input: GetRefundInput,
): ResultAsync<RefundView, GetRefundError> {
  return perform(ports, 'getRefund', caller, (run) => steps(run, input), input);
}

async function* steps({ ports, auth }: Run, input: GetRefundInput) {
  const payment = yield* findPaymentOfBusiness(ports, auth, input.contactlessPaymentId);
  const isOfPayment = ({ paymentId }: Refund) => paymentId === payment.id;
  return viewRefund(yield* await find('refund', input.refundId, ports.store.refunds, isOfPayment));
}
