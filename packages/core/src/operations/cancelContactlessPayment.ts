import { findManagedPayment } from '../call/access.ts';
import { hostOperation, type OperationError } from '../call/operation.ts';
import type { Run } from '../call/perform.ts';
import { type Fault, fault } from '../domain/problem.ts';
import { err } from '../domain/result.ts';
import type { ContactlessPayment } from '../schemas/contactless-payment.ts';
import { viewPayment } from '../schemas/views.ts';
import { cancel } from '../work/canceling/canceling.ts';

export interface CancelContactlessPaymentInput {
  readonly contactlessPaymentId: string;
}

export const cancelContactlessPayment = {
  /**
   * Cancels a payment for the host: the customer pays cash, or the appointment is called off. A captured
   * payment is a 409 `conflict` with the reason `captured`. The appointment's barber, its business and
   * system administrators may call it (D17).
   *
   * @example
   * const ended = await chairside.cancelContactlessPayment(manager, {
   *   contactlessPaymentId: opened.id,
   * });
   */
  cancelContactlessPayment: hostOperation<CancelContactlessPaymentInput, ContactlessPayment>()({
    problems: ['forbidden', 'notFound', 'conflict'],
    run: steps,
  }),
};

export type CancelContactlessPaymentError = OperationError<typeof cancelContactlessPayment>;

async function* steps({ ports, auth }: Run, input: CancelContactlessPaymentInput) {
  const payment = yield* findManagedPayment(ports, auth, input.contactlessPaymentId);
  const ended = yield* await cancel(ports, payment, 'requested');
  if (ended.state === 'captured') return yield* err(alreadyCaptured());
  return viewPayment(ended);
}

function alreadyCaptured(): Fault<'conflict'> {
  return fault('conflict', 'The payment is captured; it can only be refunded.', {
    attributes: { reason: 'captured' },
  });
}
