import type {
  Processor,
  ProcessorDisputes,
  ProcessorError,
  ProcessorRefunds,
  Result,
  ResultAsync,
} from '@chairside/core';
import { type AccountCheck, type AccountToCheck, checkAccount } from './account.ts';
import { type Call, connect, ledgerOf } from './connection.ts';
import {
  type CustomerSession,
  type CustomerSessionRequest,
  openCustomerSession,
} from './customers.ts';
import { listDisputes } from './disputes.ts';
import { parseEvent } from './events.ts';
import type { Failure } from './failure.ts';
import { listPayments } from './list-payments.ts';
import { listRecentDisputes, listRecentRefunds } from './list-returned.ts';
import { checkOptions, type StripeOptions, type StripeOptionsError } from './options.ts';
import { cancelPayment, capturePayment, openPayment, readPayment } from './payments.ts';
import { readReceipt } from './receipt.ts';
import { listRefunds, refundPayment } from './refunds.ts';
import { cancelSetup, openSetup, readSetup } from './setups.ts';
import { createConnectionToken } from './tokens.ts';

/** Stripe as the payment processor of Chairside, with further functions for hosts. */
export interface StripeProcessor extends Processor {
  readonly refunds: ProcessorRefunds;
  readonly disputes: ProcessorDisputes;
  /** Whether this key moves real money. */
  readonly livemode: boolean;
  /** Finds out why an account cannot take cards in person. Read-only, for start-up. */
  checkAccount(account: AccountToCheck): ResultAsync<AccountCheck, ProcessorError>;
  /**
   * Opens a customer session for the mobile payment sheet. Its secret is for that customer alone.
   */
  openCustomerSession(
    request: CustomerSessionRequest,
  ): ResultAsync<CustomerSession, ProcessorError>;
  /** Closes idle connections. Running calls end with an unknown outcome. */
  close(): void;
}

/** Makes a processor for a secret key, without a call to Stripe; see `checkAccount`. */
export function createStripeProcessor(
  options: StripeOptions,
): Result<StripeProcessor, StripeOptionsError> {
  return checkOptions(options).map((settings) => {
    const connection = connect(settings);
    const run = <T>(use: (call: Call) => ResultAsync<T, Failure>) =>
      // The port knows only the error; Stripe's code and parameter stay here.
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
      refunds: {
        refund: (request) => run((call) => refundPayment(call, request)),
        list: (payment) => run((call) => listRefunds(call, payment)),
        listRecent: (request) => run((call) => listRecentRefunds(call, request)),
      },
      disputes: {
        list: (payment) => run((call) => listDisputes(call, payment)),
        listRecent: (request) => run((call) => listRecentDisputes(call, request)),
      },
      parseEvent: (event, now) => run((call) => parseEvent(call, event, now)),
      checkAccount: (account) => run((call) => checkAccount(call, account)),
      openCustomerSession: (request) => run((call) => openCustomerSession(call, request)),
      close: connection.close,
    };
  });
}
