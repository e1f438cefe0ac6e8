import { findOwnAppointment, requireBarber } from '../call/access.ts';
import { type OperationError, operation } from '../call/operation.ts';
import type { Run } from '../call/perform.ts';
import { isOpened, maxListedPayments } from '../domain/payment.ts';
import type { ContactlessPayments } from '../schemas/contactless-payment.ts';
import { contactlessPaymentsSchema } from '../schemas/contactless-payment.ts';
import { contactlessPaymentShapes } from '../schemas/shapes/contactless-payment.ts';
import { viewPayment } from '../schemas/views.ts';

export interface ListContactlessPaymentsInput {
  readonly appointmentId: string;
}

export const listContactlessPayments = {
  /**
   * Lists an appointment's payments, oldest first, including open ones. Payments of another business stay
   * with that business (D38).
   *
   * @example
   * const listed = await chairside.listContactlessPayments(barber, { appointmentId: 'haircut' });
   * const states = listed.map(({ items }) => items.map(({ state }) => state));
   */
  listContactlessPayments: operation<ListContactlessPaymentsInput, ContactlessPayments>()({
    limit: 'reads',
    problems: ['forbidden', 'notFound'],
    group: 'Contactless payments',
    summary: 'Lists the card payments of an appointment, in-flight ones included',
    description: 'Returns the newest 1,000 payments of the appointment in any state, oldest first.',
    output: contactlessPaymentsSchema,
    shapes: contactlessPaymentShapes,
    run: steps,
  }),
};

export type ListContactlessPaymentsError = OperationError<typeof listContactlessPayments>;

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
