import type Stripe from 'stripe';

/** Removes the `string` member from the SDK's unions. */
type Listed<C> = C extends string ? (string extends C ? never : C) : never;

/** The error codes that the SDK lists. Its raw error types a code as any string. */
type ListedCode = Listed<Stripe.PaymentIntent.LastPaymentError.Code>;

/** The members of Stripe's error object that callers read, with codes that the SDK lists. */
export type ErrorBody = Pick<Stripe.StripeRawError, 'param' | 'decline_code'> & {
  readonly type: Stripe.RawErrorType;
  readonly code?: ListedCode | 'more_permissions_required';
  readonly message: string;
  /** The intent with its client secret, as Stripe adds it. */
  readonly payment_intent?: Stripe.PaymentIntent;
  readonly setup_intent?: Stripe.SetupIntent;
};

/** A reply of the stand-in, before encoding. */
export interface Reply<T = unknown> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: T | { readonly error: ErrorBody };
}

export function found<T>(body: T): Reply<T> {
  return { status: 200, headers: {}, body };
}

export function failed(status: number, error: ErrorBody): Reply<never> {
  return { status, headers: {}, body: { error } };
}

export function invalid(message: string, more: Partial<ErrorBody> = {}): Reply<never> {
  return failed(400, { type: 'invalid_request_error', message, ...more });
}

/** 404 for an object in the path, 400 for one in a parameter. */
export function missing(
  what: string,
  id: string,
  param: string,
  status: 400 | 404 = 404,
): Reply<never> {
  const message = `No such ${what}: '${id}'`;
  return failed(status, {
    type: 'invalid_request_error',
    code: 'resource_missing',
    message,
    param,
  });
}

/** Stripe's rejection of an account that the platform's key does not reach. */
export function noAccess(status: 403 | 404, id: string): Reply<never> {
  if (status === 404) return missing('account', id, 'account');
  return failed(403, {
    type: 'invalid_request_error',
    code: 'account_invalid',
    message: 'The provided key does not have access to that account, or it does not exist.',
  });
}

/** Ends a request with this reply. */
export class Refusal extends Error {
  readonly reply: Reply<never>;
  constructor(reply: Reply<never>) {
    super('refused');
    this.reply = reply;
  }
}

export function refuse(reply: Reply<never>): never {
  throw new Refusal(reply);
}
