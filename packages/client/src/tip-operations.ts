// Written by `pnpm openapi` from the core's records and the route table. Do not edit.
import type { TipAnswerOf } from './answers.ts';
import { operation } from './operation.ts';
import { list, number, object, type Parser, text } from './parse.ts';

const externalPaymentReference = object({ id: text, paymentProcessor: text });
const card = object(
  {
    maskedPersonalAccountNumber: text,
    network: text,
    fundingType: text,
    expirationMonth: text,
    expirationYear: text,
  },
  { tokenizationMethod: text },
);
const barberReference = object(
  { id: text, givenName: text, surname: text },
  {
    preferredName: text,
    biography: text,
    spokenLanguages: list(text),
    experience: number,
    instagram: text,
    urlSlug: text,
    profileImage_URL: text,
  },
);
const shopLocationReference = object({ id: text, name: text, shopName: text });
const appointmentReference = object(
  { id: text, occursOn: text, barber: barberReference, location: shopLocationReference },
  { timeZone: text },
);
const tippedPayment: Parser<TipAnswerOf<'createContactlessPayment'>> = object(
  {
    id: text,
    appointment: appointmentReference,
    amount: text,
    state: text,
    clientSecret: text,
    createdAt: text,
    updatedAt: text,
  },
  {
    externalPaymentReference,
    card,
    authorizedAt: text,
    capturedAt: text,
    expiresAt: text,
    tip: text,
  },
);
const tippedPayments: Parser<TipAnswerOf<'listContactlessPayments'>> = object({
  items: list(tippedPayment),
  count: number,
});
const tippedRefund: Parser<TipAnswerOf<'refundPayment'>> = object(
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
  { reason: text, failure: text, tip: text },
);
const tippedRefunds: Parser<TipAnswerOf<'listRefunds'>> = object(
  { items: list(tippedRefund), count: number, captured: text, refundable: text },
  { refundableTip: text },
);

/** The HTTP request, the response and the problems of each operation. */
export const tipOperations = {
  createContactlessPayment: operation(
    'POST /appointments/{appointmentId}/contactlessPayments',
    tippedPayment,
    'badRequest',
    'forbidden',
    'notFound',
    'conflict',
    'appointmentAlreadyPaid',
    'unprocessableEntity',
    'paymentProviderNotSetup',
    'tipTooHigh',
  ),
  listContactlessPayments: operation(
    'GET /appointments/{appointmentId}/contactlessPayments',
    tippedPayments,
    'forbidden',
    'notFound',
  ),
  getContactlessPayment: operation(
    'GET /contactlessPayments/{contactlessPaymentId}',
    tippedPayment,
    'forbidden',
    'notFound',
  ),
  captureContactlessPayment: operation(
    'POST /contactlessPayments/{contactlessPaymentId}/captured',
    tippedPayment,
    'badRequest',
    'forbidden',
    'notFound',
    'conflict',
    'contactlessPaymentCanceled',
    'contactlessPaymentDeclined',
    'unprocessableEntity',
    'paymentProviderNotSetup',
  ),
  refundPayment: operation(
    'POST /contactlessPayments/{contactlessPaymentId}/refunds',
    tippedRefund,
    'badRequest',
    'forbidden',
    'notFound',
    'conflict',
    'unprocessableEntity',
    'paymentProviderNotSetup',
  ),
  listRefunds: operation(
    'GET /contactlessPayments/{contactlessPaymentId}/refunds',
    tippedRefunds,
    'forbidden',
    'notFound',
  ),
  getRefund: operation(
    'GET /contactlessPayments/{contactlessPaymentId}/refunds/{refundId}',
    tippedRefund,
    'forbidden',
    'notFound',
  ),
};
