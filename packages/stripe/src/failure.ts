import { type ProcessorError, unknownCustomer } from '@chairside/core';
import Stripe from 'stripe';
import { notSetUpCodes, reasons } from './codes.ts';
import { lookUp } from './tables.ts';
import { notSentCode } from './transport.ts';

/**
 * What became of one call to Stripe that did not succeed. It holds nothing of the StripeError that
 * it came from, which carries the intent and its client secret.
 */
export interface Failure {
  readonly error: ProcessorError;
  /** Stripe's own code, where it is one of those that Stripe documents. */
  readonly code?: string;
  /** The parameter that it is about. */
  readonly param?: string;
  /** A refusal without a code whose meaning is known here. */
  readonly isUnexplained?: boolean;
}

export const rejected = (reason: string): Failure => ({ error: { kind: 'rejected', reason } });
export const notSetUp: Failure = { error: { kind: 'notSetUp' } };
const rateLimited: Failure = { error: { kind: 'rateLimited' } };

/** Proven: nothing was done. */
export const notApplied: Failure = {
  error: { kind: 'unavailable', outcome: 'notApplied', answered: false },
};
/** No answer came, or none that can be believed. */
export const unknown: Failure = {
  error: { kind: 'unavailable', outcome: 'unknown', answered: false },
};
/** Stripe itself failed, or something that it depends on, and it keeps that reply for the key. */
const ownFailure: Failure = {
  error: { kind: 'unavailable', outcome: 'unknown', answered: true },
};

const setUpCodes: ReadonlySet<string> = new Set(notSetUpCodes);

/** What is missing, by the parameter that named it. */
const missing: Readonly<Record<string, string>> = {
  intent: 'unknownPayment',
  location: 'unknownLocation',
  customer: unknownCustomer,
};

/** Stripe's HTTP status where a service outside Stripe failed it. */
const dependencyFailed = 424;

/** The codes of errors before a request was sent, by Node's name resolution and sockets. */
const notSentCodes = new Set([notSentCode, 'ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);

/** What a call threw, as data. Nothing is logged, quoted or kept of it. */
export function toFailure(thrown: unknown): Failure {
  if (!(thrown instanceof Stripe.errors.StripeError)) return unknown;
  if (thrown instanceof Stripe.errors.StripeConnectionError) {
    return notSentCodes.has(codeOf(thrown.detail)) ? notApplied : unknown;
  }
  const { statusCode, rawType } = thrown;
  const code = /^[a-z_]{1,64}$/.test(thrown.code ?? '') ? thrown.code : undefined;
  const about = {
    ...(code !== undefined && { code }),
    ...(thrown.param !== undefined && { param: thrown.param }),
  };
  if (statusCode === undefined) return unknown;
  if (statusCode >= 500 || statusCode === dependencyFailed) return { ...ownFailure, ...about };
  switch (statusCode) {
    case 401:
      // The platform's key was rolled or revoked. That is for the operator, not for the business.
      return { ...notApplied, ...about };
    case 403:
      // An account that the platform was cut off from has a code (`account_invalid`); a permission
      // that a restricted key lacks has none, and is for the operator again.
      return { ...(code === undefined ? notApplied : notSetUp), ...about };
    case 409:
      // Somebody else's call under this key, or on this payment, is still under way.
      return { ...unknown, ...about };
    case 429:
      return { ...rateLimited, ...about };
    default:
      break;
  }
  if (code === 'rate_limit') return { ...rateLimited, ...about };
  if (rawType === 'idempotency_error') return { ...rejected('keyReused'), ...about };
  if (code === undefined) return { ...rejected('refused'), isUnexplained: true };
  if (setUpCodes.has(code)) return { ...notSetUp, ...about };
  const isAbsent = code === 'resource_missing';
  // Stripe publishes 403 for an account that it does not have, and was seen with 404, too.
  if (isAbsent && thrown.param === 'account') return { ...notSetUp, ...about };
  const reason = isAbsent ? lookUp(missing, thrown.param ?? '') : lookUp(reasons, code);
  const isUnexplained = reason === undefined && !isAbsent;
  return { ...rejected(reason ?? code), ...about, ...(isUnexplained && { isUnexplained }) };
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? `${error.code}` : '';
}

export const isMissing = ({ code, error }: Failure) =>
  code === 'resource_missing' && error.kind === 'rejected';
