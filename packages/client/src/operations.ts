import type {
  CaptureContactlessPaymentBody,
  ChallengeMethodsQuery,
  CommonProblem,
  CreateContactlessPaymentBody,
  PreparePaymentMethodBody,
  ProblemType,
  RegisterTerminalBody,
} from '@chairside/core';
import { nothing, type Parser } from './parse.ts';
import {
  challengeMethods,
  connectionToken,
  contactlessPayment,
  contactlessPayments,
  paymentMethodSetup,
  payoutPreferences,
  terminal,
  terminals,
} from './shapes.ts';

/** One request, before it has a token. */
export interface Outgoing {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly key?: string | undefined;
  readonly body?: unknown;
}

export interface Operation<I, T, P extends ProblemType> {
  readonly outgoing: (input: I) => Outgoing;
  readonly answer: Parser<T>;
  /** The types of its row in the interface's error table. */
  readonly problems: readonly P[];
}

const common = [
  'unauthorized',
  'tooManyRequests',
  'internalError',
  'serviceUnavailable',
] as const satisfies readonly CommonProblem[];

const id = encodeURIComponent;

function operation<I, T, const P extends ProblemType>(
  outgoing: (input: I) => Outgoing,
  answer: Parser<T>,
  ...problems: readonly P[]
): Operation<I, T, P | CommonProblem> {
  return { outgoing, answer, problems: [...problems, ...common] };
}

export interface CreateContactlessPaymentInput {
  readonly appointmentId: string;
  /** 1 to 255 characters; the same key is the same payment. Keep it until the payment is settled. */
  readonly idempotencyKey: string;
  readonly body?: CreateContactlessPaymentBody | undefined;
}

export interface CaptureContactlessPaymentInput {
  readonly contactlessPaymentId: string;
  /** 1 to 255 characters; the same key is the same capture. */
  readonly idempotencyKey: string;
  readonly body: CaptureContactlessPaymentBody;
}

export interface PreparePaymentMethodInput {
  /** Made anew for each call if absent. */
  readonly idempotencyKey?: string | undefined;
  readonly body: PreparePaymentMethodBody;
}

interface OfAppointment {
  readonly appointmentId: string;
}
interface OfPayment {
  readonly contactlessPaymentId: string;
}
interface OfTerminal {
  readonly terminalId: string;
}

/** How each operation travels. A test compares it with the OpenAPI document. */
export const operations = {
  createContactlessPayment: operation(
    ({ appointmentId, idempotencyKey, body }: CreateContactlessPaymentInput) => ({
      method: 'POST',
      path: `/appointments/${id(appointmentId)}/contactlessPayments`,
      key: idempotencyKey,
      body,
    }),
    contactlessPayment,
    'badRequest',
    'forbidden',
    'notFound',
    'conflict',
    'appointmentAlreadyPaid',
    'unprocessableEntity',
    'paymentProviderNotSetup',
  ),
  listContactlessPayments: operation(
    ({ appointmentId }: OfAppointment) => ({
      method: 'GET',
      path: `/appointments/${id(appointmentId)}/contactlessPayments`,
    }),
    contactlessPayments,
    'forbidden',
    'notFound',
  ),
  getContactlessPayment: operation(
    ({ contactlessPaymentId }: OfPayment) => ({
      method: 'GET',
      path: `/contactlessPayments/${id(contactlessPaymentId)}`,
    }),
    contactlessPayment,
    'forbidden',
    'notFound',
  ),
  captureContactlessPayment: operation(
    ({ contactlessPaymentId, idempotencyKey, body }: CaptureContactlessPaymentInput) => ({
      method: 'POST',
      path: `/contactlessPayments/${id(contactlessPaymentId)}/captured`,
      key: idempotencyKey,
      body,
    }),
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
    ({ body }: { readonly body: RegisterTerminalBody }) => ({
      method: 'POST',
      path: '/terminals',
      body,
    }),
    terminal,
    'badRequest',
    'forbidden',
    'contactlessPaymentEntitlementMissing',
    'conflict',
    'unprocessableEntity',
    'contactlessPaymentDeviceUnsupported',
  ),
  listTerminals: operation(() => ({ method: 'GET', path: '/terminals' }), terminals, 'forbidden'),
  getTerminal: operation(
    ({ terminalId }: OfTerminal) => ({ method: 'GET', path: `/terminals/${id(terminalId)}` }),
    terminal,
    'forbidden',
    'notFound',
  ),
  deleteTerminal: operation(
    ({ terminalId }: OfTerminal) => ({ method: 'DELETE', path: `/terminals/${id(terminalId)}` }),
    nothing,
    'forbidden',
    'notFound',
  ),
  createTerminalConnectionToken: operation(
    ({ terminalId }: OfTerminal) => ({
      method: 'POST',
      path: `/terminals/${id(terminalId)}/connectionTokens`,
    }),
    connectionToken,
    'badRequest',
    'forbidden',
    'contactlessPaymentEntitlementMissing',
    'notFound',
    'unprocessableEntity',
    'paymentProviderNotSetup',
  ),
  preparePaymentMethod: operation(
    ({ idempotencyKey, body }: PreparePaymentMethodInput) => ({
      method: 'POST',
      path: '/me/paymentMethods/prepared',
      key: idempotencyKey,
      body,
    }),
    paymentMethodSetup,
    'badRequest',
    'forbidden',
    'notFound',
    'conflict',
    'unprocessableEntity',
  ),
  removeFinancialAccount: operation(
    (of: { readonly businessId: string; readonly accountId: string }) => ({
      method: 'DELETE',
      path: `/businesses/${id(of.businessId)}/financialAccounts/${id(of.accountId)}`,
    }),
    nothing,
    'forbidden',
    'notFound',
    'conflict',
  ),
  deleteBarberSchedule: operation(
    (of: { readonly barberId: string; readonly scheduleId: string }) => ({
      method: 'DELETE',
      path: `/barbers/${id(of.barberId)}/schedules/${id(of.scheduleId)}`,
    }),
    nothing,
    'forbidden',
    'notFound',
    'conflict',
  ),
  listChallengeMethods: operation(
    ({ query }: { readonly query: ChallengeMethodsQuery }) => ({
      method: 'GET',
      path: `/auth/challengeMethods?${
        query.phoneNumber === undefined
          ? `emailAddress=${id(query.emailAddress ?? '')}`
          : `phoneNumber=${id(query.phoneNumber)}`
      }`,
    }),
    challengeMethods,
    'badRequest',
  ),
  getPayoutPreferences: operation(
    ({ businessId }: { readonly businessId: string }) => ({
      method: 'GET',
      path: `/businesses/${id(businessId)}/preferences/payouts`,
    }),
    payoutPreferences,
    'forbidden',
    'notFound',
  ),
};

export type OperationName = keyof typeof operations;
