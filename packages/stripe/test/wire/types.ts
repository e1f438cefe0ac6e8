import type { Replies, Requests, StandInEvent } from '@chairside/stripe/stand-in';
import type Stripe from 'stripe';
import type { ListedCode } from '../../src/codes.ts';

/** Stripe's error object without what the SDK adds to it, and with the codes that the SDK lists. */
type WireError = Omit<
  Stripe.StripeRawError,
  'code' | 'headers' | 'statusCode' | 'requestId' | 'detail' | 'exception' | 'type'
> & { readonly code?: ListedCode; readonly type: Stripe.RawErrorType };

/** Everything on the wire between the adapter and Stripe, as the installed SDK declares it. */
export interface Wire {
  readonly request: Requests;
  readonly reply: Replies;
  readonly failure: { readonly error: WireError };
  readonly event: Omit<StandInEvent, 'data'> & {
    readonly data: { readonly object: unknown; readonly previous_attributes?: unknown };
  };
  /** What an event is about, by the `object` member of it. */
  readonly told: {
    readonly payment_intent: Stripe.PaymentIntent;
    readonly charge: Stripe.Charge;
    readonly refund: Stripe.Refund;
    readonly dispute: Stripe.Dispute;
  };
}
