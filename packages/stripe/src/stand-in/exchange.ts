import { channel } from 'node:diagnostics_channel';
import type { StandInEvent } from './event.ts';
import type { Form } from './form.ts';
import type { Route } from './params.ts';
import type { Reply } from './reply.ts';
import type { RawRequest, StandInRequest } from './request.ts';

/** What passes between a caller and the stand-in, for checks of all of it. Holds client secrets. */
export type Exchange =
  | {
      readonly kind: 'request';
      readonly route: Route;
      readonly params: Form;
      /** Of the SDK, or written by hand. */
      readonly isOfSdk: boolean;
    }
  | {
      readonly kind: 'reply';
      readonly route: Route;
      readonly status: number;
      readonly body: unknown;
    }
  | { readonly kind: 'event'; readonly event: StandInEvent };

/** The name of the diagnostics channel; publishing costs nothing while nobody subscribes. */
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

/** The true reply, before a fault makes another one of it. */
export function publishReply(route: Route, { status, body }: Reply): void {
  if (exchanges.hasSubscribers) publish({ kind: 'reply', route, status, body });
}

export function publishEvent(event: StandInEvent): void {
  if (exchanges.hasSubscribers) publish({ kind: 'event', event });
}
