// Written by `pnpm generate` from the core's records and the route table. Do not edit.
import type { AnswerOf } from './answers.ts';
import { operation } from './operation.ts';
import { list, object, type Parser, text } from './parse.ts';

export type Receipt = AnswerOf<'getReceipt'>;

const receiptTender = object(
  { kind: text, amount: text, currency: text, createdAt: text },
  { contactlessPaymentId: text },
);
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
const receiptRefund = object({ amount: text, state: text, createdAt: text }, { tip: text });
const receipt: Parser<Receipt> = object(
  {
    contactlessPaymentId: text,
    shopName: text,
    locationName: text,
    barberName: text,
    amount: text,
    currency: text,
    capturedAt: text,
    refunds: list(receiptRefund),
  },
  {
    timeZone: text,
    tenders: list(receiptTender),
    returns: list(receiptTender),
    card,
    applicationPreferredName: text,
    applicationIdentifier: text,
    accountType: text,
    authorizationCode: text,
    authorizationResponseCode: text,
    applicationCryptogramType: text,
    applicationCryptogram: text,
    terminalVerificationResults: text,
    transactionStatusInformation: text,
    cardholderVerification: text,
    tip: text,
  },
);

/** The HTTP request, the response and the problems of each operation. */
export const receiptOperations = {
  getReceipt: operation(
    'GET /contactlessPayments/{contactlessPaymentId}/receipt',
    receipt,
    'forbidden',
    'notFound',
    'conflict',
  ),
};
