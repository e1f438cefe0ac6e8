import { subscribe } from 'node:diagnostics_channel';
import { type Exchange, exchangeChannel } from '@chairside/stripe-stand-in';
import { faultOf } from '@chairside/stripe-stand-in/wire-schemas';

/**
 * Checks every request, reply and event of this thread against the schemas from the SDK's types.
 * Throws at the first violation.
 * @param isControl damages each reply, to prove that a wrong reply is found.
 */
export function watchWire(isControl = false): { checked(): number; check(): void } {
  let checked = 0;
  let fault: string | undefined;
  subscribe(exchangeChannel, (message) => {
    // cast: this channel publishes only exchanges
    const exchange = message as Exchange;
    if (exchange.kind === 'request' && !exchange.isOfSdk) return;
    checked += 1;
    fault ??= faultOf(isControl ? damaged(exchange) : exchange);
  });
  return {
    checked: () => checked,
    check() {
      if (fault !== undefined) throw new Error(`not as Stripe declares it: ${fault}`);
    },
  };
}

function damaged(exchange: Exchange): Exchange {
  if (exchange.kind !== 'reply') return exchange;
  const { object: _, ...body } = Object(exchange.body);
  return { ...exchange, body };
}
