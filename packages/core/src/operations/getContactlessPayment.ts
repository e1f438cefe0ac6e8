import { findPayment, requireBarber, requireBarberOf } from '../call/access.ts';
import type { Caller } from '../call/call.ts';
import { type CommonProblem, perform, type Run } from '../call/perform.ts';
import type { ProblemOf } from '../domain/problem.ts';
import type { ResultAsync } from '../domain/result.ts';
import type { Ports } from '../ports/ports.ts';
import type { ContactlessPayment } from '../schemas/contactless-payment.ts';
import { viewPayment } from '../schemas/views.ts';

export interface GetContactlessPaymentInput {
  readonly contactlessPaymentId: string;
}

export type GetContactlessPaymentError = ProblemOf<'forbidden' | 'notFound' | CommonProblem>;

/** Reads a payment from the store, never from the processor (spec, D17). */
export function getContactlessPayment(
  ports: Ports,
  caller: Caller,
  input: GetContactlessPaymentInput,
): ResultAsync<ContactlessPayment, GetContactlessPaymentError> {
  return perform(ports, 'getContactlessPayment', caller, (run) => steps(run, input), input);
}

async function* steps({ ports, auth }: Run, input: GetContactlessPaymentInput) {
  const barberId = yield* requireBarber(auth);
  const payment = yield* await findPayment(ports, input.contactlessPaymentId);
  yield* await requireBarberOf(ports, payment, barberId);
  return viewPayment(payment);
}
