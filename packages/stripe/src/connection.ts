import { err, ok, type Result, ResultAsync } from '@chairside/core';
import Stripe from 'stripe';
import { type Deadline, maySend, sendingDeadline, startDeadline } from './deadline.ts';
import { type Failure, notApplied, notSetUp, toFailure } from './failure.ts';
import type { Settings } from './options.ts';
import { createTransport, withoutRetries } from './transport.ts';

/** The options of a request beside its parameters. */
export type CallOptions = Pick<Stripe.RequestOptions, 'idempotencyKey' | 'stripeAccount'>;

/** The connection to Stripe during one call of the port. */
export interface Call extends Settings {
  readonly deadline: Deadline;
  /** Sends one request, within the call's remaining time. */
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
  const { httpClient = transport } = settings;
  const stripe = new Stripe(secretKey, {
    ...api,
    httpClient: withoutRetries(httpClient),
    // The core decides about retries, after it has read the ledger (D22).
    maxNetworkRetries: 0,
    telemetry: false,
    appInfo: { name: 'Chairside' },
  });
  return {
    begin() {
      const deadline = startDeadline(settings.deadlineMs, settings.clock);
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
  // No time is left to send this request, so it was not applied.
  if (!maySend(deadline)) return err(notApplied);
  const timeout = deadline.remainingMs();
  try {
    return ok(await sendingDeadline.run(deadline, () => request({ timeout })));
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

/** The account that a request names: the business's, or the platform's in its place. */
export function scopeOf(call: Call, account: string): Result<CallOptions, Failure> {
  // A malformed account id was never set up, and must not reach a header.
  if (!accountPattern.test(account)) return err(notSetUp);
  return ok(call.charges === 'direct' ? { stripeAccount: account } : {});
}
