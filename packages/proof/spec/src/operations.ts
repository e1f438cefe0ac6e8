import type { Caller, Chairside, ClientOperation, Problem, ResultAsync } from '@chairside/core';
import { Unvalidated } from '@chairside/core';

/** The request of a spec, for either transport. */
export interface Request {
  readonly id?: string;
  /** The path's second id. */
  readonly id2?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly key?: string;
  readonly body?: unknown;
}

type Answered = ResultAsync<unknown, Problem>;

interface Operation {
  /** As in `docs/interface.md`. `{id}` stands for the path's id, `{id2}` for a second one. */
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly success: number;
  readonly inProcess: (chairside: Chairside, caller: Caller, request: Request) => Answered;
}

const id = ({ id = '' }: Request) => id;
const id2 = ({ id2 = '' }: Request) => id2;
const key = ({ key = '' }: Request) => ({ idempotencyKey: key });
const body = ({ body }: Request) => (body === undefined ? {} : { body: new Unvalidated(body) });

/** The operations of the interface and its extension: how each is called in process and over HTTP. */
export const operations = {
  createContactlessPayment: {
    method: 'POST',
    path: '/appointments/{id}/contactlessPayments',
    success: 201,
    inProcess: (chairside, caller, request) =>
      chairside.createContactlessPayment(caller, {
        appointmentId: id(request),
        ...key(request),
        ...body(request),
      }),
  },
  listContactlessPayments: {
    method: 'GET',
    path: '/appointments/{id}/contactlessPayments',
    success: 200,
    inProcess: (chairside, caller, request) =>
      chairside.listContactlessPayments(caller, { appointmentId: id(request) }),
  },
  getContactlessPayment: {
    method: 'GET',
    path: '/contactlessPayments/{id}',
    success: 200,
    inProcess: (chairside, caller, request) =>
      chairside.getContactlessPayment(caller, { contactlessPaymentId: id(request) }),
  },
  captureContactlessPayment: {
    method: 'POST',
    path: '/contactlessPayments/{id}/captured',
    success: 200,
    inProcess: (chairside, caller, request) =>
      chairside.captureContactlessPayment(caller, {
        contactlessPaymentId: id(request),
        ...key(request),
        body: new Unvalidated(request.body),
      }),
  },
  registerTerminal: {
    method: 'POST',
    path: '/terminals',
    success: 201,
    inProcess: (chairside, caller, request) =>
      chairside.registerTerminal(caller, { body: new Unvalidated(request.body) }),
  },
  listTerminals: {
    method: 'GET',
    path: '/terminals',
    success: 200,
    inProcess: (chairside, caller) => chairside.listTerminals(caller),
  },
  getTerminal: {
    method: 'GET',
    path: '/terminals/{id}',
    success: 200,
    inProcess: (chairside, caller, request) =>
      chairside.getTerminal(caller, { terminalId: id(request) }),
  },
  deleteTerminal: {
    method: 'DELETE',
    path: '/terminals/{id}',
    success: 204,
    inProcess: (chairside, caller, request) =>
      chairside.deleteTerminal(caller, { terminalId: id(request) }),
  },
  createTerminalConnectionToken: {
    method: 'POST',
    path: '/terminals/{id}/connectionTokens',
    success: 201,
    inProcess: (chairside, caller, request) =>
      chairside.createTerminalConnectionToken(caller, { terminalId: id(request) }),
  },
  preparePaymentMethod: {
    method: 'POST',
    path: '/me/paymentMethods/prepared',
    success: 200,
    inProcess: (chairside, caller, request) =>
      chairside.preparePaymentMethod(caller, {
        ...(request.key !== undefined && key(request)),
        body: new Unvalidated(request.body),
      }),
  },
  removeFinancialAccount: {
    method: 'DELETE',
    path: '/businesses/{id}/financialAccounts/{id2}',
    success: 204,
    inProcess: (chairside, caller, request) =>
      chairside.removeFinancialAccount(caller, {
        businessId: id(request),
        accountId: id2(request),
      }),
  },
  deleteBarberSchedule: {
    method: 'DELETE',
    path: '/barbers/{id}/schedules/{id2}',
    success: 204,
    inProcess: (chairside, caller, request) =>
      chairside.deleteBarberSchedule(caller, { barberId: id(request), scheduleId: id2(request) }),
  },
  listChallengeMethods: {
    method: 'GET',
    path: '/auth/challengeMethods',
    success: 200,
    inProcess: (chairside, caller, { query = {} }) =>
      chairside.listChallengeMethods(caller, { query }),
  },
  getPayoutPreferences: {
    method: 'GET',
    path: '/businesses/{id}/preferences/payouts',
    success: 200,
    inProcess: (chairside, caller, request) =>
      chairside.getPayoutPreferences(caller, { businessId: id(request) }),
  },
  refundPayment: {
    method: 'POST',
    path: '/contactlessPayments/{id}/refunds',
    success: 201,
    inProcess: (chairside, caller, request) =>
      chairside.refundPayment(caller, {
        contactlessPaymentId: id(request),
        ...key(request),
        ...body(request),
      }),
  },
  listRefunds: {
    method: 'GET',
    path: '/contactlessPayments/{id}/refunds',
    success: 200,
    inProcess: (chairside, caller, request) =>
      chairside.listRefunds(caller, { contactlessPaymentId: id(request) }),
  },
  getRefund: {
    method: 'GET',
    path: '/contactlessPayments/{id}/refunds/{id2}',
    success: 200,
    inProcess: (chairside, caller, request) =>
      chairside.getRefund(caller, { contactlessPaymentId: id(request), refundId: id2(request) }),
  },
} as const satisfies Record<ClientOperation, Operation>;

export type SpecOperation = keyof typeof operations;
