// Written by `pnpm generate` from the core's records and the route table. Do not edit.
import type { AnswerOf } from './answers.ts';
import { operation } from './operation.ts';
import { list, number, object, type Parser, text } from './parse.ts';

export type Refund = AnswerOf<'refundPayment'>;
export type Refunds = AnswerOf<'listRefunds'>;

const refund: Parser<Refund> = object(
  {
    id: text,
    contactlessPaymentId: text,
    amount: text,
    currency: text,
    state: text,
    origin: text,
    createdAt: text,
    updatedAt: text,
  },
  { reason: text, failure: text, pendingReason: text, tip: text },
);
const refunds: Parser<Refunds> = object(
  { items: list(refund), count: number, captured: text, refundable: text },
  { refundableTip: text },
);

/** The HTTP request, the response and the problems of each operation. */
export const refundOperations = {
  refundPayment: operation(
    'POST /contactlessPayments/{contactlessPaymentId}/refunds',
    refund,
    'badRequest',
    'forbidden',
    'notFound',
    'conflict',
    'unprocessableEntity',
    'paymentProviderNotSetup',
  ),
  listRefunds: operation(
    'GET /contactlessPayments/{contactlessPaymentId}/refunds',
    refunds,
    'forbidden',
    'notFound',
  ),
  getRefund: operation(
    'GET /contactlessPayments/{contactlessPaymentId}/refunds/{refundId}',
    refund,
    'forbidden',
    'notFound',
  ),
};
