import { err, ok, type Result, ResultAsync } from '@chairside/core';
import Stripe from 'stripe';
import { type Deadline, startDeadline } from './deadline.ts';
import { type Failure, notApplied, notSetUp, toFailure } from './failure.ts';
import type { Settings } from './options.ts';
import { createTransport } from './transport.ts';

/** What a request may carry beside its parameters. */
export type CallOptions = Pick<Stripe.RequestOptions, 'idempotencyKey' | 'stripeAccount'>;

/** The way to Stripe during one call of the port. */
export interface Call extends Settings {
  readonly deadline: Deadline;
  /** Sends one request, within what is left of the call's time. */
  send<T>(
    request: (stripe: Stripe, options: Stripe.RequestOptions) => Promise<T>,
    options?: CallOptions,
  ): ResultAsync<T, Failure>;
}

export interface Connection {
  begin(): Call;
  close(): void;
}

export function connect(settings: Settings): Connection {
  const { secretKey, api, maxReplyBytes } = settings;
  const transport = createTransport(maxReplyBytes);
  const stripe = new Stripe(secretKey, {
    ...api,
    httpClient: settings.httpClient ?? transport,
    // A retry is the core's to decide, which reads the ledger first (D22).
    maxNetworkRetries: 0,
    telemetry: false,
    appInfo: { name: 'Chairside' },
  });
  return {
    begin() {
      const deadline = startDeadline(settings.deadlineMs);
      return {
        ...settings,
        deadline,
        send: (request, options = {}) =>
          new ResultAsync(sent(deadline, (timed) => request(stripe, { ...options, ...timed }))),
      };
    },
    close: () => transport.close(),
  };
}

async function sent<T>(
  deadline: Deadline,
  request: (options: Stripe.RequestOptions) => Promise<T>,
): Promise<Result<T, Failure>> {
  const timeout = deadline.remainingMs();
  // No time left to send it in: this request, at least, did nothing.
  if (timeout < 1) return err(notApplied);
  try {
    return ok(await request({ timeout }));
  } catch (thrown) {
    return err(toFailure(thrown));
  }
}

const accountPattern = /^acct_\w{1,60}$/;

/** With destination charges all payments are in the platform's ledger. */
export const platformLedger = 'platform';

/** The ledger that lists an account's payments. */
export function ledgerOf({ charges }: Pick<Settings, 'charges'>, account: string): string {
  return charges === 'destination' ? platformLedger : account;
}

/** For whom a request is made: the business's account, or the platform in its stead. */
export function scopeOf(call: Call, account: string): Result<CallOptions, Failure> {
  // What is not a Stripe account id was never set up, and must not reach a header.
  if (!accountPattern.test(account)) return err(notSetUp);
  return ok(call.charges === 'direct' ? { stripeAccount: account } : {});
}
