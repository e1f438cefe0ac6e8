import type { Processor, ProcessorError, Result, ResultAsync } from '@chairside/core';
import { type AccountCheck, type AccountToCheck, checkAccount } from './account.ts';
import { type Call, connect, ledgerOf } from './connection.ts';
import {
  type CustomerSession,
  type CustomerSessionRequest,
  openCustomerSession,
} from './customers.ts';
import { parseEvent } from './events.ts';
import type { Failure } from './failure.ts';
import { listPayments } from './list-payments.ts';
import { checkOptions, type StripeOptions, type StripeOptionsError } from './options.ts';
import { cancelPayment, capturePayment, openPayment, readPayment } from './payments.ts';
import { readReceipt } from './receipt.ts';
import { cancelSetup, openSetup, readSetup } from './setups.ts';
import { createConnectionToken } from './tokens.ts';

/** Stripe as the payment processor of Chairside, and what else a host may need of it. */
export interface StripeProcessor extends Processor {
  /** Whether this key moves real money. */
  readonly livemode: boolean;
  /** Says what keeps an account from taking cards in person. For start-up; changes nothing. */
  checkAccount(account: AccountToCheck): ResultAsync<AccountCheck, ProcessorError>;
  /** A customer session for the mobile payment sheet. Its secret is for that customer alone. */
  openCustomerSession(
    request: CustomerSessionRequest,
  ): ResultAsync<CustomerSession, ProcessorError>;
  /** Closes the connections that are kept for later. Calls that are under way end as lost. */
  close(): void;
}

/** Makes a processor of a secret key. Asks nothing of Stripe yet; see `checkAccount`. */
export function createStripeProcessor(
  options: StripeOptions,
): Result<StripeProcessor, StripeOptionsError> {
  return checkOptions(options).map((settings) => {
    const connection = connect(settings);
    const run = <T>(use: (call: Call) => ResultAsync<T, Failure>) =>
      // What the port does not speak of stays here.
      use(connection.begin()).mapErr(({ error }) => error);
    return {
      deadlineMs: settings.deadlineMs,
      livemode: settings.livemode,
      openPayment: (request) => run((call) => openPayment(call, request)),
      readPayment: (payment, claimed) => run((call) => readPayment(call, payment, claimed)),
      capturePayment: (request) => run((call) => capturePayment(call, request)),
      cancelPayment: (request) => run((call) => cancelPayment(call, request)),
      createConnectionToken: (request) => run((call) => createConnectionToken(call, request)),
      ledgerOf: (account) => ledgerOf(settings, account),
      listPayments: (request) => run((call) => listPayments(call, request)),
      readReceipt: (payment) => run((call) => readReceipt(call, payment)),
      openSetup: (request) => run((call) => openSetup(call, request)),
      readSetup: (setup) => run((call) => readSetup(call, setup)),
      cancelSetup: (request) => run((call) => cancelSetup(call, request)),
      parseEvent: (event, now) => run((call) => parseEvent(call, event, now)),
      checkAccount: (account) => run((call) => checkAccount(call, account)),
      openCustomerSession: (request) => run((call) => openCustomerSession(call, request)),
      close: connection.close,
    };
  });
}
