import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { type Exchange, exchangeChannel } from '@chairside/stripe-stand-in';
import { faultOf } from '@chairside/stripe-stand-in/wire-schemas';
import { expect, it } from 'vitest';
import { givenCaptured, problem } from './stand-in.ts';

/** All messages of a captured payment. */
async function exchangesOfAPayment(): Promise<readonly Exchange[]> {
  const seen: Exchange[] = [];
  // cast: this channel publishes only exchanges
  const note = (message: unknown) => void seen.push(message as Exchange);
  subscribe(exchangeChannel, note);
  const { set, payment } = await givenCaptured();
  problem(await set.stripe.capturePayment({ ...payment, idempotencyKey: 'capture_2' }));
  unsubscribe(exchangeChannel, note);
  return seen;
}

const kinds = (exchanges: readonly Exchange[]) => new Set(exchanges.map(({ kind }) => kind));

it('the adapter’s requests and the stand-in’s replies match the SDK’s types (D116)', async () => {
  const exchanges = await exchangesOfAPayment();
  expect(kinds(exchanges)).toEqual(new Set(['request', 'reply', 'event']));
  expect(exchanges.flatMap((exchange) => faultOf(exchange) ?? [])).toEqual([]);
});

/** The same with one change; each must be found. */
const controls: readonly (readonly [string, Exchange['kind'], (text: string) => string, RegExp])[] =
  [
    [
      'a member that Stripe always sends is left out',
      'reply',
      (text) => text.replace('"review":null,', ''),
      /required property 'review'/,
    ],
    [
      'a member that Stripe does not have',
      'reply',
      (text) => text.replace('"body":{', '"body":{"payment_method_type":"card",'),
      /additional properties/,
    ],
    [
      'a state that Stripe does not list',
      'reply',
      (text) => text.replace('"status":"requires_payment_method"', '"status":"waiting"'),
      /status/,
    ],
    [
      'an amount as text',
      'reply',
      (text) => text.replace('"amount":4537', '"amount":"4537"'),
      /amount must be number/,
    ],
    [
      'a reference expanded that nobody asked for',
      'reply',
      (text) => text.replace('"customer":null', '"customer":{"object":"customer"}'),
      /customer/,
    ],
    [
      'a code that the SDK does not list',
      'reply',
      (text) => text.replace('payment_intent_unexpected_state', 'parameter_invalid'),
      /error\/code/,
    ],
    [
      'a parameter of an earlier version',
      'request',
      (text) => text.replace('"allowed_payment_method_types"', '"payment_method_types"'),
      /additional properties/,
    ],
    [
      'an event without its request',
      'event',
      (text) => text.replace(/"request":\{[^}]*\},/, ''),
      /required property 'request'/,
    ],
  ];

it.each(controls)('a control: %s', async (_, kind, change, fault) => {
  // Except those with a charge, whose fault would be reported for the charge.
  const exchanges = (await exchangesOfAPayment()).filter(
    (exchange) => exchange.kind === kind && !JSON.stringify(exchange).includes('"object":"charge"'),
  );
  const faults = exchanges.flatMap((exchange) => {
    const text = JSON.stringify(exchange);
    const changed = change(text);
    return changed === text ? [] : (faultOf(JSON.parse(changed)) ?? 'not found');
  });
  expect(faults.length).toBeGreaterThan(0);
  for (const found of faults) expect(found).toMatch(fault);
});
