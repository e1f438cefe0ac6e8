// Written by `pnpm generate` from the core's records and the route table. Do not edit.
import type { AnswerOf } from './answers.ts';
import { operation } from './operation.ts';
import { flag, list, nothing, number, object, type Parser, text } from './parse.ts';

export type ContactlessPayment = AnswerOf<'createContactlessPayment'>;
export type ContactlessPayments = AnswerOf<'listContactlessPayments'>;
export type Terminal = AnswerOf<'registerTerminal'>;
export type Terminals = AnswerOf<'listTerminals'>;
export type TerminalConnectionToken = AnswerOf<'createTerminalConnectionToken'>;
export type PaymentMethodSetup = AnswerOf<'preparePaymentMethod'>;
export type ChallengeMethods = AnswerOf<'listChallengeMethods'>;
export type BusinessPayoutPreferences = AnswerOf<'getPayoutPreferences'>;

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
const contactlessPayment: Parser<ContactlessPayment> = object(
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
const contactlessPayments: Parser<ContactlessPayments> = object({
  items: list(contactlessPayment),
  count: number,
});
const terminal: Parser<Terminal> = object(
  { id: text, platform: text, deviceIdentifier: text, createdAt: text, updatedAt: text },
  {
    deviceModel: text,
    osVersion: text,
    appVersion: text,
    terminalSdkVersion: text,
    terminalLocation: text,
  },
);
const terminals: Parser<Terminals> = object({ items: list(terminal), count: number });
const terminalConnectionToken: Parser<TerminalConnectionToken> = object({ clientSecret: text });
const paymentMethodSetup: Parser<PaymentMethodSetup> = object({
  paymentMethodSetupId: text,
  clientSecret: text,
  expiresAt: text,
  paymentMethodReuseAuthorized: flag,
});
const challengeMethod = object({ label: text });
const challengeMethods: Parser<ChallengeMethods> = object({
  items: list(challengeMethod),
  count: number,
});
const businessPayoutPreferences: Parser<BusinessPayoutPreferences> = object({
  settings: object({ frequency: text }, { delayDays: number, dayOfWeek: text, dayOfMonth: number }),
});

/** The HTTP request, the response and the problems of each operation. */
export const operations = {
  createContactlessPayment: operation(
    'POST /appointments/{appointmentId}/contactlessPayments',
    contactlessPayment,
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
    contactlessPayments,
    'forbidden',
    'notFound',
  ),
  getContactlessPayment: operation(
    'GET /contactlessPayments/{contactlessPaymentId}',
    contactlessPayment,
    'forbidden',
    'notFound',
  ),
  captureContactlessPayment: operation(
    'POST /contactlessPayments/{contactlessPaymentId}/captured',
    contactlessPayment,
    'badRequest',
    'forbidden',
    'notFound',
    'conflict',
    'contactlessPaymentCanceled',
    'contactlessPaymentDeclined',
    'unprocessableEntity',
    'paymentProviderNotSetup',
  ),
  registerTerminal: operation(
    'POST /terminals',
    terminal,
    'badRequest',
    'forbidden',
    'contactlessPaymentEntitlementMissing',
    'conflict',
    'unprocessableEntity',
    'contactlessPaymentDeviceUnsupported',
  ),
  listTerminals: operation('GET /terminals', terminals, 'forbidden'),
  getTerminal: operation('GET /terminals/{terminalId}', terminal, 'forbidden', 'notFound'),
  deleteTerminal: operation('DELETE /terminals/{terminalId}', nothing, 'forbidden', 'notFound'),
  createTerminalConnectionToken: operation(
    'POST /terminals/{terminalId}/connectionTokens',
    terminalConnectionToken,
    'badRequest',
    'forbidden',
    'contactlessPaymentEntitlementMissing',
    'notFound',
    'unprocessableEntity',
    'paymentProviderNotSetup',
  ),
  preparePaymentMethod: operation(
    'POST /me/paymentMethods/prepared',
    paymentMethodSetup,
    'badRequest',
    'forbidden',
    'notFound',
    'conflict',
    'unprocessableEntity',
  ),
  removeFinancialAccount: operation(
    'DELETE /businesses/{businessId}/financialAccounts/{accountId}',
    nothing,
    'forbidden',
    'notFound',
    'conflict',
  ),
  deleteBarberSchedule: operation(
    'DELETE /barbers/{barberId}/schedules/{scheduleId}',
    nothing,
    'forbidden',
    'notFound',
    'conflict',
  ),
  listChallengeMethods: operation('GET /auth/challengeMethods', challengeMethods, 'badRequest'),
  getPayoutPreferences: operation(
    'GET /businesses/{businessId}/preferences/payouts',
    businessPayoutPreferences,
    'forbidden',
    'notFound',
  ),
};

/** The operations whose key is optional. The client gives them one. */
export const optionallyKeyed: readonly string[] = ['preparePaymentMethod'];
