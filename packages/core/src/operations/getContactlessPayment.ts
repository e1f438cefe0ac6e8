import { findPayment, requireBarber, requireBarberOf } from '../call/access.ts';
import { type OperationError, operation } from '../call/operation.ts';
import type { Run } from '../call/perform.ts';
import type { ContactlessPayment } from '../schemas/contactless-payment.ts';
import { contactlessPaymentSchema } from '../schemas/contactless-payment.ts';
import { contactlessPaymentShapes } from '../schemas/shapes/contactless-payment.ts';
import { viewPayment } from '../schemas/views.ts';

export interface GetContactlessPaymentInput {
  readonly contactlessPaymentId: string;
}

export const getContactlessPayment = {
  /**
   * Reads a stored payment. It never asks the processor, so use a capture to learn whether a card was
   * approved.
   *
   * @example
   * const read = await chairside.getContactlessPayment(barber, { contactlessPaymentId: opened.id });
   * const isPaid = read.isOk() && read.value.state === 'captured';
   */
  getContactlessPayment: operation<GetContactlessPaymentInput, ContactlessPayment>()({
    limit: 'reads',
    problems: ['forbidden', 'notFound'],
    group: 'Contactless payments',
    summary: 'Reads a card payment',
    description: 'Returns the stored payment, without a call to the processor.',
    output: contactlessPaymentSchema,
    shapes: contactlessPaymentShapes,
    run: steps,
  }),
};

export type GetContactlessPaymentError = OperationError<typeof getContactlessPayment>;

async function* steps({ ports, auth }: Run, input: GetContactlessPaymentInput) {
  const barberId = yield* requireBarber(auth);
  const payment = yield* await findPayment(ports, input.contactlessPaymentId);
  yield* await requireBarberOf(ports, payment, barberId);
  return viewPayment(payment);
}
