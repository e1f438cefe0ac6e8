import { findManagedPayment } from '../call/access.ts';
import type { Caller } from '../call/call.ts';
import { type CommonProblem, perform, type Run } from '../call/perform.ts';
import { type Fault, fault, type ProblemOf } from '../domain/problem.ts';
import { err, type ResultAsync } from '../domain/result.ts';
import type { Ports } from '../ports/ports.ts';
import type { ContactlessPayment } from '../schemas/contactless-payment.ts';
import { viewPayment } from '../schemas/views.ts';
import { cancel } from '../work/canceling/canceling.ts';

export interface CancelContactlessPaymentInput {
  readonly contactlessPaymentId: string;
}

export type CancelContactlessPaymentError = ProblemOf<
  'forbidden' | 'notFound' | 'conflict' | CommonProblem
>;

/**
 * Cancels a payment for the host, for example when the customer pays cash. It is not on the HTTP
 * interface (D17). The appointment's barber, its business and system administrators may call it. A
 * canceled payment is returned unchanged; a captured one is a conflict.
 */
export function cancelContactlessPayment(
  ports: Ports,
  caller: Caller,
  input: CancelContactlessPaymentInput,
): ResultAsync<ContactlessPayment, CancelContactlessPaymentError> {
  return perform(ports, 'cancelContactlessPayment', caller, (run) => steps(run, input), input);
}

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
