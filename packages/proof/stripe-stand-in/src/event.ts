import type Stripe from 'stripe';

/** The object of an event. */
export type EventObject =
  | Stripe.PaymentIntent
  | Stripe.Charge
  | Stripe.Refund
  | Stripe.Dispute
  | Stripe.SetupIntent;

/** An event as Stripe sends it. */
export interface StandInEvent
  extends Pick<
    Stripe.Event,
    | 'id'
    | 'object'
    | 'account'
    | 'api_version'
    | 'created'
    | 'livemode'
    | 'pending_webhooks'
    | 'request'
  > {
  readonly type: Stripe.Event['type'];
  readonly data: {
    readonly object: EventObject;
    readonly previous_attributes?: Readonly<Record<string, unknown>>;
  };
}
