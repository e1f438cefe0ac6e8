import { channel } from 'node:diagnostics_channel';
import type { StandInEvent } from './event.ts';
import type { Form } from './form.ts';
import type { Route } from './params.ts';
import type { Reply } from './reply.ts';
import type { RawRequest, StandInRequest } from './request.ts';

/**
 * A message between a caller and the stand-in, for tests that check all of them. It contains client
 * secrets.
 */
export type Exchange =
  | {
      readonly kind: 'request';
      readonly route: Route;
      readonly params: Form;
      /** Sent by the SDK, not written by hand. */
      readonly isOfSdk: boolean;
    }
  | {
      readonly kind: 'reply';
      readonly route: Route;
      readonly status: number;
      readonly body: unknown;
    }
  | { readonly kind: 'event'; readonly event: StandInEvent };

/** The name of the diagnostics channel. Publishing is free without subscribers. */
export const exchangeChannel = 'chairside:stripe-stand-in';

const exchanges = channel(exchangeChannel);

function publish(exchange: Exchange): void {
  exchanges.publish(exchange);
}

export function publishRequest({ headers }: RawRequest, { route, form }: StandInRequest): void {
  if (!exchanges.hasSubscribers) return;
  const isOfSdk = headers['user-agent']?.startsWith('Stripe/v1 NodeBindings/') === true;
  publish({ kind: 'request', route, params: form, isOfSdk });
}

/** The real reply, before a fault replaces it. */
export function publishReply(route: Route, { status, body }: Reply): void {
  if (exchanges.hasSubscribers) publish({ kind: 'reply', route, status, body });
}

export function publishEvent(event: StandInEvent): void {
  if (exchanges.hasSubscribers) publish({ kind: 'event', event });
}
