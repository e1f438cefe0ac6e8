// Runs with every test: checks all messages between the adapter and the stand-in against the SDK's
// declarations. It costs other tests no time.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';
import type { Exchange } from '@chairside/stripe-stand-in';
import { afterAll, afterEach } from 'vitest';

const seen: Exchange[] = [];
const counts = { request: 0, reply: 0, event: 0 };

// The name is the stand-in's `exchangeChannel`; importing it would load the stand-in for every test.
const channel = 'chairside:stripe-stand-in';
subscribe(channel, record);

function record(message: unknown): void {
  // cast: this channel publishes only exchanges
  const exchange = message as Exchange;
  // Requests that a test writes by hand may be wrong on purpose.
  if (exchange.kind !== 'request' || exchange.isOfSdk) seen.push(exchange);
}

afterEach(async () => {
  if (seen.length === 0) return;
  const { faultOf } = await import('./validate.ts');
  const exchanges = seen.splice(0);
  for (const { kind } of exchanges) counts[kind] += 1;
  const faults = new Set(exchanges.flatMap((exchange) => faultOf(exchange) ?? []));
  if (faults.size > 0) throw new Error(`not as Stripe declares it:\n${[...faults].join('\n')}`);
});

afterAll(() => {
  unsubscribe(channel, record); // the next file of this worker runs all this again
  const log = process.env['STRIPE_WIRE_LOG'];
  if (log !== undefined && counts.reply > 0) appendFileSync(log, `${JSON.stringify(counts)}\n`);
});
