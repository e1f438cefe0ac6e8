import type {
  CaptureContactlessPaymentBody,
  ChallengeMethodsQuery,
  CreateContactlessPaymentBody,
  PreparePaymentMethodBody,
  RegisterTerminalBody,
} from '@chairside/core';
import { type Operation, operation } from './operation.ts';
import { nothing } from './parse.ts';
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

interface OfAppointment {
  readonly appointmentId: string;
}
interface OfPayment {
  readonly contactlessPaymentId: string;
}
interface OfTerminal {
  readonly terminalId: string;
}

export interface CreateContactlessPaymentInput extends OfAppointment {
  /**
   * 1 to 255 characters. The same key means the same payment. Keep it until the payment is settled.
   */
  readonly idempotencyKey: string;
  readonly body?: CreateContactlessPaymentBody | undefined;
}

export interface CaptureContactlessPaymentInput extends OfPayment {
  /** 1 to 255 characters. The same key means the same capture. */
  readonly idempotencyKey: string;
  readonly body: CaptureContactlessPaymentBody;
}

export interface PreparePaymentMethodInput {
  /** Default: a new key for each call. */
  readonly idempotencyKey?: string | undefined;
  readonly body: PreparePaymentMethodBody;
}

/** The input of each operation: its path ids, key, body and query. */
export interface Inputs {
  createContactlessPayment: CreateContactlessPaymentInput;
  listContactlessPayments: OfAppointment;
  getContactlessPayment: OfPayment;
  captureContactlessPayment: CaptureContactlessPaymentInput;
  registerTerminal: { readonly body: RegisterTerminalBody };
  listTerminals: undefined;
  getTerminal: OfTerminal;
  deleteTerminal: OfTerminal;
  createTerminalConnectionToken: OfTerminal;
  preparePaymentMethod: PreparePaymentMethodInput;
  removeFinancialAccount: { readonly businessId: string; readonly accountId: string };
  deleteBarberSchedule: { readonly barberId: string; readonly scheduleId: string };
  listChallengeMethods: { readonly query: ChallengeMethodsQuery };
  getPayoutPreferences: { readonly businessId: string };
}

export type OperationName = keyof Inputs;

/** The HTTP request of each operation. A test compares it with the service's route table. */
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
    connectionToken,
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
    payoutPreferences,
    'forbidden',
    'notFound',
  ),
} satisfies Record<OperationName, unknown>;

type Operations = typeof operations;
export type AnswerOf<N extends OperationName> =
  Operations[N] extends Operation<infer T, infer _> ? T : never;
export type ProblemsOf<N extends OperationName> = Operations[N]['problems'][number];
