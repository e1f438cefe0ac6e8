import { channel } from 'node:diagnostics_channel';
import type { Route } from './calls.ts';
import type { StandInEvent } from './event.ts';
import type { Form } from './wire.ts';

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

export function publish(exchange: Exchange): void {
  if (exchanges.hasSubscribers) exchanges.publish(exchange);
}
