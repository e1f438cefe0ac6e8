// Written by `pnpm generate` from the core's records and the route table. Do not edit.
import type { AnswerOf } from './answers.ts';
import { operation } from './operation.ts';
import { flag, list, number, object, type Parser, text } from './parse.ts';

export type Charge = AnswerOf<'chargePaymentMethod'>;
export type Charges = AnswerOf<'listCharges'>;

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
const charge: Parser<Charge> = object(
  {
    id: text,
    appointmentId: text,
    purpose: text,
    amount: text,
    currency: text,
    state: text,
    paymentMethodSetupId: text,
    agreedAt: text,
    agreementRef: text,
    createdAt: text,
    updatedAt: text,
  },
  { refusal: text, card, capturedAt: text },
);
const charges: Parser<Charges> = object(
  { items: list(charge), count: number },
  { excess: text, currencyChanged: flag },
);

/** The HTTP request, the response and the problems of each operation. */
export const chargeOperations = {
  chargePaymentMethod: operation(
    'POST /appointments/{appointmentId}/charges',
    charge,
    'badRequest',
    'forbidden',
    'notFound',
    'conflict',
    'appointmentAlreadyPaid',
    'unprocessableEntity',
    'paymentProviderNotSetup',
  ),
  listCharges: operation(
    'GET /appointments/{appointmentId}/charges',
    charges,
    'forbidden',
    'notFound',
  ),
  getCharge: operation('GET /charges/{chargeId}', charge, 'forbidden', 'notFound'),
};
