import type { Result, ResultAsync } from '@chairside/core';
import type {
  Processor,
  ProcessorCharges,
  ProcessorDisputes,
  ProcessorError,
  ProcessorRefunds,
  ProcessorSettlements,
} from '@chairside/core/ports';
import {
  type AccountCheck,
  type AccountToCheck,
  checkAccount,
  createConnectionToken,
} from './account.ts';
import { authorizeMethod } from './charges.ts';
import { booksOf, type Call, connect } from './connection.ts';
import {
  type CustomerSession,
  type CustomerSessionRequest,
  openCustomerSession,
} from './customers.ts';
import { diagnose } from './diagnose.ts';
import { listDisputes } from './disputes.ts';
import { parseEvent } from './events.ts';
import type { Failure } from './failure.ts';
import { readReceipt } from './intents.ts';
import { checkOptions, type StripeOptions, type StripeOptionsError } from './options.ts';
import { cancelPayment, capturePayment, openPayment, readPayment } from './payments.ts';
import { listRefunds, refundPayment } from './refunds.ts';
import { listEntries, listPayouts } from './settlements.ts';
import { cancelSetup, openSetup, readSetup } from './setups.ts';
import { listPayments, listRecentDisputes, listRecentRefunds } from './sweep-lists.ts';

/** Stripe as the payment processor of Chairside, with further functions for hosts. */
export interface StripeProcessor extends Processor {
  readonly charges: ProcessorCharges;
  readonly refunds: ProcessorRefunds;
  readonly disputes: ProcessorDisputes;
  readonly settlements: ProcessorSettlements;
  readonly diagnose: NonNullable<Processor['diagnose']>;
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
    /** The port knows only the error; Stripe's code stays here. */
    const bound =
      <A extends readonly unknown[], T>(act: (call: Call, ...args: A) => ResultAsync<T, Failure>) =>
      (...args: A) =>
        act(connection.begin(), ...args).mapErr(({ error }) => error);
    return {
      deadlineMs: settings.deadlineMs,
      livemode: settings.livemode,
      world: { processor: 'stripe', mode: settings.livemode ? 'live' : 'test' },
      openPayment: bound(openPayment),
      readPayment: bound(readPayment),
      capturePayment: bound(capturePayment),
      cancelPayment: bound(cancelPayment),
      createConnectionToken: bound(createConnectionToken),
      booksOf: (account) => booksOf(settings, account),
      listPayments: bound(listPayments),
      readReceipt: bound(readReceipt),
      openSetup: bound(openSetup),
      readSetup: bound(readSetup),
      cancelSetup: bound(cancelSetup),
      charges: { authorize: bound(authorizeMethod) },
      refunds: {
        refund: bound(refundPayment),
        list: bound(listRefunds),
        listRecent: bound(listRecentRefunds),
      },
      disputes: { list: bound(listDisputes), listRecent: bound(listRecentDisputes) },
      settlements: { listEntries: bound(listEntries), listPayouts: bound(listPayouts) },
      parseEvent: bound(parseEvent),
      checkAccount: bound(checkAccount),
      diagnose: bound(diagnose),
      openCustomerSession: bound(openCustomerSession),
      close: connection.close,
    };
  });
}
