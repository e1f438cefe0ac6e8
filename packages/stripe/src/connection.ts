import { err, errAsync, ok, type Result, ResultAsync } from '@chairside/core';
import Stripe from 'stripe';
import { type Deadline, maySend, partOf, sendingDeadline, startDeadline } from './deadline.ts';
import { type Failure, notApplied, notSetUp, toFailure } from './failure.ts';
import type { Settings } from './options.ts';
import { createTransport, guarded } from './transport.ts';

/** The account and the key of a request, beside its parameters. */
interface SendOptions {
  /** The account that the request is about; absent for objects of the platform's own. */
  readonly account?: string | undefined;
  readonly idempotencyKey?: string;
  /** The share of the call's remaining time that it may take. Default: all of it. */
  readonly share?: number;
}

/** The connection to Stripe during one call of the port. */
export interface Call extends Settings {
  readonly deadline: Deadline;
  /** Sends one request, within the call's remaining time. */
  send<T>(
    request: (stripe: Stripe, options: Stripe.RequestOptions) => Promise<T>,
    options?: SendOptions,
  ): ResultAsync<T, Failure>;
}

export interface Connection {
  begin(): Call;
  close(): void;
}

export function connect(settings: Settings): Connection {
  const { secretKey, api, charges, clock, deadlineMs, maxReplyBytes } = settings;
  const transport = createTransport(maxReplyBytes);
  const { httpClient = transport } = settings;
  const stripe = new Stripe(secretKey, {
    ...api,
    httpClient: guarded(httpClient),
    // The core decides about retries, after it has read the books (D22).
    maxNetworkRetries: 0,
    telemetry: false,
    appInfo: { name: 'Chairside' },
  });
  return {
    begin() {
      const deadline = startDeadline(deadlineMs, clock);
      return {
        ...settings,
        deadline,
        send(request, { account, share = 1, ...options } = {}) {
          // A malformed account id was never set up, and must not reach a header.
          if (account !== undefined && !isAccountId(account)) return errAsync(notSetUp);
          // With destination charges the objects of an account are the platform's.
          const isOwn = account !== undefined && charges === 'direct';
          const scope = isOwn ? { stripeAccount: account } : {};
          const timed = (timeout: number) => request(stripe, { ...options, ...scope, timeout });
          const hasKey = options.idempotencyKey !== undefined;
          return new ResultAsync(sent(partOf(deadline, share), timed, hasKey));
        },
      };
    },
    close: () => transport.close(),
  };
}

async function sent<T>(
  deadline: Deadline,
  request: (timeoutMs: number) => Promise<T>,
  hasKey: boolean,
): Promise<Result<T, Failure>> {
  // No time is left to send this request, so it was not applied.
  if (!maySend(deadline)) return err(notApplied);
  const timeoutMs = deadline.remainingMs();
  try {
    return ok(await sendingDeadline.run(deadline, () => request(timeoutMs)));
  } catch (thrown) {
    return err(toFailure(thrown, hasKey));
  }
}

export function isAccountId(text: string): boolean {
  return /^acct_\w{1,60}$/.test(text);
}

/** With destination charges all payments are in the platform's books. */
export const platformBooks = 'platform';

/** The books that list an account's payments. */
export function booksOf({ charges }: Pick<Settings, 'charges'>, account: string): string {
  return charges === 'destination' ? platformBooks : account;
}
