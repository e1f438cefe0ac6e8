import { createHmac } from 'node:crypto';
import type { RawEvent } from '@chairside/core/ports';
import type Stripe from 'stripe';

/** An event as Stripe sends it, without the members that Stripe adds for other API versions. */
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
    readonly object:
      | Stripe.PaymentIntent
      | Stripe.Charge
      | Stripe.Refund
      | Stripe.Dispute
      | Stripe.SetupIntent
      | Stripe.Radar.EarlyFraudWarning;
    readonly previous_attributes?: Readonly<Record<string, unknown>>;
  };
}

/** Signs a message as Stripe does: over its time and its exact bytes. */
export function signPayload(payload: string, webhookSecret: string, at: number): RawEvent {
  const time = Math.floor(at / 1000);
  const signature = createHmac('sha256', webhookSecret).update(`${time}.${payload}`).digest('hex');
  return { payload, headers: { 'stripe-signature': `t=${time},v1=${signature}` } };
}
