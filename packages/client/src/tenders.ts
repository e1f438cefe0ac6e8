// Written by `pnpm generate` from the core's records and the route table. Do not edit.
import type { AnswerOf } from './answers.ts';
import { operation } from './operation.ts';
import { list, number, object, type Parser, text } from './parse.ts';

export type Tender = AnswerOf<'recordTender'>;
export type Tenders = AnswerOf<'listTenders'>;
export type TenderReturn = AnswerOf<'returnTender'>;

const tender: Parser<Tender> = object(
  {
    id: text,
    appointmentId: text,
    kind: text,
    amount: text,
    currency: text,
    returned: text,
    createdAt: text,
  },
  { note: text, voidedAt: text },
);
const tenderReturn: Parser<TenderReturn> = object(
  { id: text, appointmentId: text, kind: text, amount: text, currency: text, createdAt: text },
  { tenderId: text, contactlessPaymentId: text, note: text },
);
const tenders: Parser<Tenders> = object(
  {
    items: list(tender),
    count: number,
    returns: list(tenderReturn),
    tendered: text,
    reserved: text,
  },
  { remaining: text },
);

/** The HTTP request, the response and the problems of each operation. */
export const tenderOperations = {
  recordTender: operation(
    'POST /appointments/{appointmentId}/tenders',
    tender,
    'badRequest',
    'forbidden',
    'notFound',
    'conflict',
    'appointmentAlreadyPaid',
    'unprocessableEntity',
    'paymentProviderNotSetup',
  ),
  listTenders: operation(
    'GET /appointments/{appointmentId}/tenders',
    tenders,
    'forbidden',
    'notFound',
  ),
  returnTender: operation(
    'POST /tenders/{tenderId}/returns',
    tenderReturn,
    'badRequest',
    'forbidden',
    'notFound',
    'conflict',
    'unprocessableEntity',
  ),
  voidTender: operation(
    'POST /tenders/{tenderId}/void',
    tender,
    'forbidden',
    'notFound',
    'conflict',
  ),
};
