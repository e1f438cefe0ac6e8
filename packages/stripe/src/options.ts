import { type Clock, err, ok, type Result, secondMs, systemClock } from '@chairside/core';
import type Stripe from 'stripe';
import { defaultTables, type StripeTables } from './tables.ts';

/** What a host says of its Stripe account; how to get it is in `docs/guide/stripe.md`. */
export interface StripeOptions {
  /** The platform's secret key, or a restricted one. Never logged, never part of an error. */
  readonly secretKey: string;
  /** Says that a key which moves real money is meant. Without it a live key is refused. */
  readonly allowLiveKey?: boolean | undefined;
  /** The clock that ages of idempotency keys are told by; the system's by default. */
  readonly clock?: Clock | undefined;
  /** Secrets of the webhook endpoints. Several while one is being replaced. */
  readonly webhookSecrets?: readonly string[] | undefined;
  /**
   * `direct`, the default: a payment belongs to the business's own Stripe account.
   * `destination`: it belongs to the platform, which passes the money on to that account.
   */
  readonly charges?: 'direct' | 'destination' | undefined;
  /** Replaces names of networks, funding types and wallets (D9), or of receipts. */
  readonly tables?:
    | { readonly [Name in keyof StripeTables]?: StripeTables[Name] | undefined }
    | undefined;
  /** The host's own record of a customer's id at Stripe; where it has none, one is made. */
  readonly findCustomer?: ((customerId: string) => Promise<string | undefined>) | undefined;
  /**
   * Keeps the id of a customer that was made at Stripe, for `findCustomer` to return later. With both,
   * Stripe's search is never used. Without, a customer of a merchant without search (India) is made
   * anew after a day.
   */
  readonly saveCustomer?: ((customerId: string, stripeId: string) => Promise<void>) | undefined;
  /** The longest that any call takes, with everything it looks up; 20 seconds by default. */
  readonly deadlineMs?: number | undefined;
  /** Longer replies are not read to their end; 8 MiB by default, which a page of the largest intents fits in. */
  readonly maxReplyBytes?: number | undefined;
  /** Another place than Stripe's, for tests. */
  readonly api?:
    | {
        readonly host: string;
        readonly port: number;
        readonly protocol: 'http' | 'https';
      }
    | undefined;
  /**
   * Another way there, for simulations and proxies. It must keep to the time-out it is given,
   * follow no redirect and bound what it reads: nothing here does so in its place.
   */
  readonly httpClient?: Stripe.HttpClient | undefined;
}

/** Why no processor is made of the options. Says nothing of the key itself. */
export type StripeOptionsError =
  /** No secret or restricted key of Stripe's: a publishable one, perhaps, or a placeholder. */
  | { readonly kind: 'invalidKey' }
  /** A live key, and `allowLiveKey` was not said. */
  | { readonly kind: 'liveKeyNotAllowed' }
  /** A live key, which goes to Stripe over TLS or nowhere. */
  | { readonly kind: 'liveKeyElsewhere' }
  | { readonly kind: 'invalidWebhookSecret' }
  | { readonly kind: 'invalidDeadline' };

/** The options with nothing left open. */
export interface Settings {
  readonly secretKey: string;
  readonly livemode: boolean;
  readonly clock: Clock;
  readonly webhookSecrets: readonly string[];
  readonly charges: 'direct' | 'destination';
  readonly tables: StripeTables;
  readonly findCustomer: (customerId: string) => Promise<string | undefined>;
  readonly saveCustomer: ((customerId: string, stripeId: string) => Promise<void>) | undefined;
  readonly deadlineMs: number;
  readonly maxReplyBytes: number;
  readonly api: StripeOptions['api'];
  readonly httpClient: Stripe.HttpClient | undefined;
}

const keyPattern = /^(?:sk|rk)_(live|test)_\w+$/;
const minDeadlineMs = 50;
const maxDeadlineMs = 120 * secondMs;

/** Whether this key moves real money. */
export function isLiveKey(secretKey: string): boolean {
  return keyPattern.exec(secretKey)?.[1] === 'live';
}

export function checkOptions(options: StripeOptions): Result<Settings, StripeOptionsError> {
  const { secretKey, webhookSecrets = [], deadlineMs = 20 * secondMs } = options;
  const livemode = isLiveKey(secretKey);
  if (!keyPattern.test(secretKey)) return err({ kind: 'invalidKey' });
  if (livemode && options.allowLiveKey !== true) return err({ kind: 'liveKeyNotAllowed' });
  if (livemode && options.api !== undefined) return err({ kind: 'liveKeyElsewhere' });
  if (!webhookSecrets.every((secret) => /^\S{8,}$/.test(secret))) {
    return err({ kind: 'invalidWebhookSecret' });
  }
  if (!Number.isInteger(deadlineMs) || deadlineMs < minDeadlineMs || deadlineMs > maxDeadlineMs) {
    return err({ kind: 'invalidDeadline' });
  }
  return ok({
    secretKey,
    livemode,
    clock: options.clock ?? systemClock,
    webhookSecrets,
    charges: options.charges ?? 'direct',
    tables: {
      networks: options.tables?.networks ?? defaultTables.networks,
      funding: options.tables?.funding ?? defaultTables.funding,
      wallets: options.tables?.wallets ?? defaultTables.wallets,
      verification: options.tables?.verification ?? defaultTables.verification,
    },
    findCustomer: options.findCustomer ?? (async () => undefined),
    saveCustomer: options.saveCustomer,
    deadlineMs,
    maxReplyBytes: options.maxReplyBytes ?? 8 * 1024 * 1024,
    api: options.api,
    httpClient: options.httpClient,
  });
}
