import type { ProblemType } from '@chairside/core';
import { ResultAsync } from '@chairside/core/result';
import { type Operation, type OperationName, operations } from './operations.ts';
import { type CallOptions, type ErrorOf, send } from './send.ts';
import { type ClientOptions, toSettings } from './settings.ts';

/** The fourteen operations. Every call resolves to a Result and never rejects. */
export type Client = ReturnType<typeof createClient>;

/** Throws a TypeError for options that cannot work. */
export function createClient(options: ClientOptions) {
  const settings = toSettings(options);

  function bind<I, T, P extends ProblemType>(name: OperationName, operation: Operation<I, T, P>) {
    return (input: I, options: CallOptions = {}): ResultAsync<T, ErrorOf<P>> =>
      new ResultAsync(send(settings, name, operation, input, options));
  }

  const {
    createContactlessPayment,
    listContactlessPayments,
    getContactlessPayment,
    captureContactlessPayment,
    registerTerminal,
    listTerminals,
    getTerminal,
    deleteTerminal,
    createTerminalConnectionToken,
    preparePaymentMethod,
    removeFinancialAccount,
    deleteBarberSchedule,
    listChallengeMethods,
    getPayoutPreferences,
  } = operations;
  const prepare = bind('preparePaymentMethod', preparePaymentMethod);

  return {
    // Contactless payments
    createContactlessPayment: bind('createContactlessPayment', createContactlessPayment),
    listContactlessPayments: bind('listContactlessPayments', listContactlessPayments),
    getContactlessPayment: bind('getContactlessPayment', getContactlessPayment),
    captureContactlessPayment: bind('captureContactlessPayment', captureContactlessPayment),

    // Terminals
    registerTerminal: bind('registerTerminal', registerTerminal),
    listTerminals: (options?: CallOptions) =>
      bind('listTerminals', listTerminals)(undefined, options),
    getTerminal: bind('getTerminal', getTerminal),
    deleteTerminal: bind('deleteTerminal', deleteTerminal),
    createTerminalConnectionToken: bind(
      'createTerminalConnectionToken',
      createTerminalConnectionToken,
    ),

    // Payment methods of customers: sent again only because it has a key.
    preparePaymentMethod: (
      { idempotencyKey = settings.newKey(), body }: Parameters<typeof prepare>[0],
      options?: CallOptions,
    ) => prepare({ idempotencyKey, body }, options),

    // Business, barber and authentication
    removeFinancialAccount: bind('removeFinancialAccount', removeFinancialAccount),
    deleteBarberSchedule: bind('deleteBarberSchedule', deleteBarberSchedule),
    listChallengeMethods: bind('listChallengeMethods', listChallengeMethods),
    getPayoutPreferences: bind('getPayoutPreferences', getPayoutPreferences),

    /** Of the options, for what is built on this client. */
    newKey: settings.newKey,
    time: settings.time,
  };
}
