import type Stripe from 'stripe';

/** Stripe's test cards for simulated readers. */
export type CardNumber = '4242424242424242' | '4000000000000002' | '5555555555554444';

interface Options {
  readonly stripeAccount: string;
}

/** A location with a simulated reader. */
export async function makePlace(stripe: Stripe, options: Options) {
  const address = {
    line1: '510 Townsend Street',
    city: 'San Francisco',
    state: 'CA',
    country: 'US',
    postal_code: '94103',
  };
  const { id: location } = await stripe.terminal.locations.create(
    { display_name: 'Chairside contract', address },
    options,
  );
  const { id: reader } = await stripe.terminal.readers.create(
    { registration_code: 'simulated-wpe', location, label: 'contract' },
    options,
  );
  return { location, reader };
}

/** The maximum of checks whether a reader has finished. */
const maxLooks = 20;

export async function processAndPresent(
  stripe: Stripe,
  reader: string,
  intent: string,
  number: CardNumber,
  options: Options,
): Promise<void> {
  await stripe.terminal.readers.processPaymentIntent(reader, { payment_intent: intent }, options);
  await stripe.testHelpers.terminal.readers.presentPaymentMethod(
    reader,
    { type: 'card_present', card_present: { number } },
    options,
  );
  for (let look = 0; look < maxLooks; look += 1) {
    const seen = await stripe.terminal.readers.retrieve(reader, {}, options);
    if (!('action' in seen) || seen.action?.status !== 'in_progress') return;
  }
  throw new Error('the simulated reader did not come to an end');
}
