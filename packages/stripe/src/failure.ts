import { type ProcessorError, unknownCustomer } from '@chairside/core';
import Stripe from 'stripe';
import { notSetUpCodes, reasons } from './codes.ts';
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
  /** The parameter at fault. */
  readonly param?: string;
  /** A rejection whose code has no single meaning. */
  readonly isUnexplained?: boolean;
}

export const rejected = (reason: string): Failure => ({ error: { kind: 'rejected', reason } });
export const notSetUp: Failure = { error: { kind: 'notSetUp' } };
const rateLimited: Failure = { error: { kind: 'rateLimited' } };

/** It is proven that the call was not applied. */
export const notApplied: Failure = {
  error: { kind: 'unavailable', outcome: 'notApplied', answered: false },
};
/** No reply arrived, or an implausible one. */
export const unknown: Failure = {
  error: { kind: 'unavailable', outcome: 'unknown', answered: false },
};
/** Stripe or one of its dependencies failed, and Stripe keeps that reply for the key. */
const ownFailure: Failure = {
  error: { kind: 'unavailable', outcome: 'unknown', answered: true },
};

const setUpCodes: ReadonlySet<string> = new Set(notSetUpCodes);

/** The reason for a missing object, by the parameter that named it. */
const missing: Readonly<Record<string, string>> = {
  intent: 'unknownPayment',
  location: 'unknownLocation',
  customer: unknownCustomer,
};

/** Stripe's HTTP status after a failure of a service outside Stripe. */
const dependencyFailed = 424;

/** The codes of errors before sending, from Node's name resolution and sockets. */
const notSentCodes = new Set([notSentCode, 'ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);

/** Converts a thrown error to data. No part of it is logged or quoted. */
export function toFailure(thrown: unknown): Failure {
  if (!(thrown instanceof Stripe.errors.StripeError)) return unknown;
  if (thrown instanceof Stripe.errors.StripeConnectionError) {
    return notSentCodes.has(codeOf(thrown.detail)) ? notApplied : unknown;
  }
  const { statusCode, requestId, rawType } = thrown;
  const code = /^[a-z_]{1,64}$/.test(thrown.code ?? '') ? thrown.code : undefined;
  const about = {
    ...(code !== undefined && { code }),
    ...(thrown.param !== undefined && { param: thrown.param }),
  };
  // Every reply of Stripe has a request id. A proxy may still pass the request on.
  if (statusCode === undefined || requestId === undefined) return unknown;
  if (statusCode >= 500 || statusCode === dependencyFailed) return { ...ownFailure, ...about };
  switch (statusCode) {
    case 401:
      // The platform's key was rolled or revoked: the operator has to act, not the business.
      return { ...notApplied, ...about };
    case 403:
      // An account that the platform has lost has a code (`account_invalid`). A missing permission
      // of a restricted key has none, and needs the operator too.
      return { ...(code === undefined ? notApplied : notSetUp), ...about };
    case 409:
      // Another call with this key, or on this payment, is still running.
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
  // Stripe documents 403 for an unknown account, but 404 was seen too.
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
