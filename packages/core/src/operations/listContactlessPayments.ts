import { findOwnAppointment, requireBarber } from '../call/access.ts';
import type { Caller } from '../call/call.ts';
import { type CommonProblem, perform, type Run } from '../call/perform.ts';
import { isOpened, maxListedPayments } from '../domain/payment.ts';
import type { ProblemOf } from '../domain/problem.ts';
import type { ResultAsync } from '../domain/result.ts';
import type { Ports } from '../ports/ports.ts';
import type { ContactlessPayments } from '../schemas/contactless-payment.ts';
import { viewPayment } from '../schemas/views.ts';

export interface ListContactlessPaymentsInput {
  readonly appointmentId: string;
}

export type ListContactlessPaymentsError = ProblemOf<'forbidden' | 'notFound' | CommonProblem>;

/**
 * Lists an appointment's payments, oldest first, in-flight ones included (spec). Payments of
 * another business stay with that business (D38).
 */
export function listContactlessPayments(
  ports: Ports,
  caller: Caller,
  input: ListContactlessPaymentsInput,
): ResultAsync<ContactlessPayments, ListContactlessPaymentsError> {
  return perform(ports, 'listContactlessPayments', caller, (run) => steps(run, input), input);
}

async function* steps({ ports, auth }: Run, input: ListContactlessPaymentsInput) {
  const barberId = yield* requireBarber(auth);
  const appointment = yield* await findOwnAppointment(ports, input.appointmentId, barberId);
  const listed = yield* await ports.store.payments.listByAppointment(
    appointment.id,
    maxListedPayments,
    appointment.businessId,
  );
  const items = listed.filter(isOpened).map(viewPayment);
  return { items, count: items.length };
}
