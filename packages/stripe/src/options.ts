import { type Clock, err, ok, type Result, secondMs, systemClock } from '@chairside/core';
import { unknownOption } from '@chairside/core/ports';
import type Stripe from 'stripe';
import { defaultTables, type StripeTables } from './tables.ts';

/** The settings of a host's Stripe account; `docs/guide/stripe.md` explains how to get them. */
export interface StripeOptions {
  /**
   * The platform's secret key, or a restricted one. It is never logged and never part of an error.
   */
  readonly secretKey: string;
  /** Allows a key that moves real money. Without it, a live key is rejected. */
  readonly allowLiveKey?: boolean | undefined;
  /** The clock for the age of idempotency keys. Default: the system's. */
  readonly clock?: Clock | undefined;
  /** Secrets of the webhook endpoints; several during a replacement. */
  readonly webhookSecrets?: readonly string[] | undefined;
  /**
   * `direct`, the default: a payment belongs to the business's own Stripe account. `destination`:
   * it belongs to the platform, which transfers the money to that account.
   */
  readonly charges?: 'direct' | 'destination' | undefined;
  /** Replaces names of networks, funding types and wallets (D9), or of receipts. */
  readonly tables?:
    | { readonly [Name in keyof StripeTables]?: StripeTables[Name] | undefined }
    | undefined;
  /** Returns the host's record of a customer's id at Stripe; without one, a customer is created. */
  readonly findCustomer?: ((customerId: string) => Promise<string | undefined>) | undefined;
  /**
   * Saves the id of a customer that was created at Stripe, for a later `findCustomer`, also in place of one
   * that was deleted there. With both, Stripe's search is never used. Without them, a merchant without search
   * (India) gets a new customer after a day.
   */
  readonly saveCustomer?: ((customerId: string, stripeId: string) => Promise<void>) | undefined;
  /** The longest duration of a call, including its look-ups. Default: 20 seconds. */
  readonly deadlineMs?: number | undefined;
  /**
   * Longer replies are cut off, and a list is asked for fewer items then. Default: 8 MiB, enough for a page of
   * the largest intents.
   */
  readonly maxReplyBytes?: number | undefined;
  /** Another address than Stripe's, for tests. */
  readonly api?:
    | {
        readonly host: string;
        readonly port: number;
        readonly protocol: 'http' | 'https';
      }
    | undefined;
  /**
   * Another HTTP client, for simulations and proxies. It must keep the given time-out, follow no
   * redirect and limit the reply's length, because the adapter does not. It must return the reply's
   * headers: a failure without a `request-id` is not from Stripe. The adapter asks it once for each
   * request, and keeps the SDK from repeating a lost one: a stale connection is an unknown outcome.
   * It must hold no request in a queue of its own while the machine sleeps. Two days later Stripe has
   * forgotten the idempotency key, and a refund from that queue is a second one.
   */
  readonly httpClient?: Stripe.HttpClient | undefined;
}

/** Why the options are invalid. It contains no part of the key. */
export type StripeOptionsError =
  /** Not a secret or restricted Stripe key: a publishable one, perhaps, or a placeholder. */
  | { readonly kind: 'invalidKey' }
  /** A live key without `allowLiveKey`. */
  | { readonly kind: 'liveKeyNotAllowed' }
  /** A live key for another address than Stripe's, or without TLS. */
  | { readonly kind: 'liveKeyElsewhere' }
  /** One of `webhookSecrets` is not `whsec_` and at least 16 characters: it was not set, perhaps. */
  | { readonly kind: 'invalidWebhookSecret' }
  /** An option that does not exist, a typing error for example; `message` names the nearest one. */
  | { readonly kind: 'unknownOption'; readonly message: string }
  | { readonly kind: 'invalidDeadline' };

/** The options with all defaults filled in. */
export type Settings = {
  readonly [Name in
    | 'secretKey'
    | 'clock'
    | 'webhookSecrets'
    | 'charges'
    | 'deadlineMs'
    | 'maxReplyBytes']: NonNullable<StripeOptions[Name]>;
} & Pick<StripeOptions, 'findCustomer' | 'saveCustomer' | 'api' | 'httpClient'> & {
    readonly livemode: boolean;
    readonly tables: StripeTables;
  };

const optionNames: Readonly<Record<keyof StripeOptions, true>> = {
  secretKey: true,
  allowLiveKey: true,
  clock: true,
  webhookSecrets: true,
  charges: true,
  tables: true,
  findCustomer: true,
  saveCustomer: true,
  deadlineMs: true,
  maxReplyBytes: true,
  api: true,
  httpClient: true,
};

const keyPattern = /^(?:sk|rk)_(live|test)_\w+$/;
const minDeadlineMs = 50;
const maxDeadlineMs = 120 * secondMs;

/** `whsec_` and at least 16 characters: not the `undefined` or the dots of a setting that nobody filled in. */
const webhookSecretPattern = /^whsec_[A-Za-z0-9+/_=-]{16,255}$/;

function isSecret(secret: unknown): boolean {
  return typeof secret === 'string' && webhookSecretPattern.test(secret);
}

/** Whether this key moves real money. */
export function isLiveKey(secretKey: string): boolean {
  return typeof secretKey === 'string' && keyPattern.exec(secretKey)?.[1] === 'live';
}

export function checkOptions(options: StripeOptions): Result<Settings, StripeOptionsError> {
  // Hosts without types may pass any value, such as a setting that is missing.
  if (typeof options !== 'object' || options === null) return err({ kind: 'invalidKey' });
  const unknown = unknownOption(options, optionNames);
  if (unknown !== undefined) return err({ kind: 'unknownOption', message: unknown });
  const { secretKey, webhookSecrets = [], deadlineMs = 20 * secondMs } = options;
  const livemode = isLiveKey(secretKey);
  if (typeof secretKey !== 'string' || !keyPattern.test(secretKey))
    return err({ kind: 'invalidKey' });
  if (livemode && options.allowLiveKey !== true) return err({ kind: 'liveKeyNotAllowed' });
  if (livemode && options.api !== undefined) return err({ kind: 'liveKeyElsewhere' });
  if (!Array.isArray(webhookSecrets) || !webhookSecrets.every(isSecret)) {
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
    findCustomer: options.findCustomer,
    saveCustomer: options.saveCustomer,
    deadlineMs,
    maxReplyBytes: options.maxReplyBytes ?? 8 * 1024 * 1024,
    api: options.api,
    httpClient: options.httpClient,
  });
}
