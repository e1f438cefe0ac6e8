// Written by `pnpm generate` from the core's records and the route table. Do not edit.
import type { AnswerOf } from './answers.ts';
import { operation } from './operation.ts';
import { list, number, object, type Parser, text } from './parse.ts';

export type Sharing = AnswerOf<'sharePayment'>;
export type VisitShares = AnswerOf<'listShares'>;

const paymentShare = object({ appointmentId: text, barberId: text, amount: text }, { tip: text });
const sharing: Parser<Sharing> = object(
  {
    id: text,
    contactlessPaymentId: text,
    currency: text,
    shares: list(paymentShare),
    createdAt: text,
  },
  { note: text },
);
const visitShare = object(
  {
    contactlessPaymentId: text,
    paidAt: text,
    barberId: text,
    amount: text,
    left: text,
    currency: text,
  },
  { tip: text, leftTip: text },
);
const visitShares: Parser<VisitShares> = object({ items: list(visitShare), count: number });

/** The HTTP request, the response and the problems of each operation. */
export const shareOperations = {
  sharePayment: operation(
    'POST /contactlessPayments/{contactlessPaymentId}/shares',
    sharing,
    'badRequest',
    'forbidden',
    'notFound',
    'conflict',
    'unprocessableEntity',
  ),
  listShares: operation(
    'GET /appointments/{appointmentId}/shares',
    visitShares,
    'forbidden',
    'notFound',
  ),
};
