import type { Calls, Route, StandInEvent } from '@chairside/stripe-stand-in';
import type Stripe from 'stripe';
import type { ErrorBody } from '../../src/reply.ts';

/** Stripe's error object without the SDK's additions, and with the codes that the SDK lists. */
type WireError = Omit<
  Stripe.StripeRawError,
  'code' | 'headers' | 'statusCode' | 'requestId' | 'detail' | 'exception' | 'type'
> & { readonly code?: NonNullable<ErrorBody['code']>; readonly type: Stripe.RawErrorType };

/** All messages between the adapter and Stripe, as the installed SDK declares them. */
export interface Wire {
  readonly request: { readonly [R in Route]: Calls[R][0] };
  readonly reply: { readonly [R in Route]: Calls[R][1] };
  readonly failure: { readonly error: WireError };
  readonly event: Omit<StandInEvent, 'data'> & {
    readonly data: { readonly object: unknown; readonly previous_attributes?: unknown };
  };
  /** The object of an event, by its `object` member. */
  readonly told: {
    readonly payment_intent: Stripe.PaymentIntent;
    readonly charge: Stripe.Charge;
    readonly refund: Stripe.Refund;
    readonly dispute: Stripe.Dispute;
    readonly 'radar.early_fraud_warning': Stripe.Radar.EarlyFraudWarning;
  };
}
