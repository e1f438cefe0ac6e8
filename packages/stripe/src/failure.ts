import { insufficientBalance, type ProcessorError, unknownCustomer } from '@chairside/core/ports';
import Stripe from 'stripe';
import { lookUp } from './tables.ts';
import { notSentCode } from './transport.ts';

/**
 * The failure of one call to Stripe. It contains no part of the StripeError, which carries the
 * intent and its client secret.
 */
export interface Failure {
  readonly error: ProcessorError;
  /** Stripe's own code, if it is a documented one. */
  readonly code?: string;
  /** A rejection whose code has no single meaning. */
  readonly isUnexplained?: boolean;
  /** Stripe repeated the reply that it keeps for the key, so the request of that key has ended. */
  readonly isRepeated?: boolean;
  /** No reply arrived: it was too long or too slow, perhaps. */
  readonly isLost?: boolean;
}

export const rejected = (reason: string): Failure => ({ error: { kind: 'rejected', reason } });
export const notSetUp: Failure = { error: { kind: 'notSetUp' } };
const rateLimited: Failure = { error: { kind: 'rateLimited' } };

/** It is proven that the call was not applied. */
export const notApplied: Failure = {
  error: { kind: 'unavailable', outcome: 'notApplied', answered: false },
};
/** Stripe rejects the platform's key, or the key may not make this call: the operator has to act. */
const keyRejected: Failure = {
  error: { kind: 'unavailable', outcome: 'notApplied', answered: false, why: 'keyRejected' },
};
/** No reply arrived, an implausible one, or one that proves nothing about the key's requests. */
export const unknown: Failure = {
  error: { kind: 'unavailable', outcome: 'unknown', answered: false },
};
/** Stripe never deletes an intent. If it denies one that it gave us, the key or account is wrong. */
export const denied: Failure = {
  error: { kind: 'unavailable', outcome: 'unknown', answered: false, why: 'denied' },
};
/** Stripe or one of its dependencies failed, and keeps that reply for the key: no request of it still runs. */
const keptFailure: Failure = {
  error: { kind: 'unavailable', outcome: 'unknown', answered: true },
};

/** Removes the `string` member from the SDK's unions. */
type Listed<C> = C extends string ? (string extends C ? never : C) : never;

/**
 * The error codes that the SDK lists. Stripe's raw error types its code as any string, so the
 * compiler would accept codes that Stripe does not have.
 */
export type ListedCode = Listed<Stripe.PaymentIntent.LastPaymentError.Code>;

/** The codes with a meaning for us: one of our reasons, or an account that takes no card payments. */
export const meanings = {
  account_invalid: notSetUp,
  capability_not_active: notSetUp,
  payment_method_unactivated: notSetUp,
  platform_account_required: keyRejected,
  testmode_charges_only: notSetUp,
  transfers_not_allowed: notSetUp,
  rate_limit: rateLimited,
  balance_insufficient: rejected(insufficientBalance),
  amount_too_large: rejected('amountTooLarge'),
  amount_too_small: rejected('amountTooSmall'),
  charge_expired_for_capture: rejected('unexpectedState'),
  payment_intent_unexpected_state: rejected('unexpectedState'),
  setup_intent_unexpected_state: rejected('unexpectedState'),
} as const satisfies Partial<Readonly<Record<ListedCode, Failure>>>;

/** The meaning of a missing object, by the parameter that named it. */
const missing: Readonly<Record<string, Failure>> = {
  // Stripe documents 403 for an unknown account, but 404 was seen too.
  account: notSetUp,
  intent: rejected('unknownPayment'),
  location: rejected('unknownLocation'),
  customer: rejected(unknownCustomer),
};

/** Stripe's HTTP status after a failure of a service outside Stripe. */
const dependencyFailed = 424;

/** The codes of errors before sending, from Node's name resolution and sockets. */
const notSentCodes = new Set([notSentCode, 'ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);

/**
 * Converts a thrown error to data. No part of it is logged or quoted.
 * @param hasKey the request had an idempotency key. A failed read proves nothing about any key.
 */
export function toFailure(thrown: unknown, hasKey: boolean): Failure {
  if (!(thrown instanceof Stripe.errors.StripeError)) return unknown;
  if (thrown instanceof Stripe.errors.StripeConnectionError) {
    return notSentCodes.has(codeOf(thrown.detail)) ? notApplied : { ...unknown, isLost: true };
  }
  const { statusCode, requestId, headers } = thrown;
  // Every reply of Stripe has a request id. A proxy may still pass the request on.
  if (statusCode === undefined || requestId === undefined) return unknown;
  const code = /^[a-z_]{1,64}$/.test(thrown.code ?? '') ? thrown.code : undefined;
  const meaning = meaningOf(thrown, statusCode, code, hasKey && isKept(statusCode, headers));
  const isRepeated = isReplayed(headers);
  const isStillRefused = hasKey && isRepeated && meaning.error.kind === 'notSetUp';
  return {
    ...meaning,
    ...(isStillRefused && { error: { kind: 'notSetUp', repeated: true } }),
    ...(code !== undefined && { code }),
    ...(isRepeated && { isRepeated }),
  };
}

type Headers = InstanceType<typeof Stripe.errors.StripeError>['headers'];

/**
 * Whether Stripe keeps this reply for the key, so no request of the key is still running. An overloaded
 * Stripe may fail before it looks the key up, while an earlier request of that key still runs. A 500 from
 * the request itself usually says that a retry has no effect, because Stripe would only replay it. Without
 * these headers the core repeats the same key, and the replay is the proof.
 */
function isKept(status: number, headers: Headers): boolean {
  const isFinal = status === 500 && headers?.['stripe-should-retry'] === 'false';
  return isFinal || isReplayed(headers);
}

function isReplayed(headers: Headers): boolean {
  return headers?.['idempotent-replayed'] === 'true';
}

function meaningOf(
  { rawType, raw, param = '' }: InstanceType<typeof Stripe.errors.StripeError>,
  status: number,
  code: string | undefined,
  isKeptForKey: boolean,
): Failure {
  // Stripe carries it out by itself once a person has approved it.
  if (code === 'approval_required') return unknown;
  if (status >= 500 || status === dependencyFailed) return isKeptForKey ? keptFailure : unknown;
  switch (status) {
    case 401:
      // The platform's key was rolled or revoked: the operator has to act, not the business.
      return keyRejected;
    case 403:
      // Only a code that speaks of the account proves that the platform has lost it: then a shop may give
      // cash back for a card payment. Any other, or none, is about the key, as a missing permission is.
      return lookUp(meanings, code ?? '') === notSetUp ? notSetUp : keyRejected;
    case 409:
      // Another call with this key, or on this payment, is still running.
      return unknown;
    case 429:
      return rateLimited;
    default:
      break;
  }
  if (rawType === 'idempotency_error') return rejected('keyReused');
  if (code === undefined) {
    // Some refusals have their code in another member, which the SDK does not type.
    const isShort = Reflect.get(Object(raw), 'message_code') === 'insufficient_balance_for_refund';
    return isShort
      ? rejected(insufficientBalance)
      : { ...rejected('refused'), isUnexplained: true };
  }
  if (code === 'resource_missing') return lookUp(missing, param) ?? rejected(code);
  return lookUp(meanings, code) ?? { ...rejected(code), isUnexplained: true };
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? `${error.code}` : '';
}

export const isMissing = ({ code, error }: Failure) =>
  code === 'resource_missing' && error.kind === 'rejected';

export const isKeyRejected = ({ error }: Failure) =>
  error.kind === 'unavailable' && error.why === 'keyRejected';
