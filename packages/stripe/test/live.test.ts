import { systemClock } from '@chairside/core';
import { createStripeProcessor } from '@chairside/stripe';
import {
  type Presentation,
  type ProcessorCapability,
  type ProcessorHarness,
  processorContract,
} from '@chairside/testkit/contracts';
import Stripe from 'stripe';
import { describe, it } from 'vitest';
import { value } from './stand-in.ts';

/**
 * Live: the contract against Stripe's test mode, where money is only play money. Needs
 * - `STRIPE_SECRET_KEY`: a test key of a Connect platform;
 * - `STRIPE_ACCOUNTS`: two or more of its connected test accounts in the United States, separated
 *   by commas, each with the capability `card_payments`.
 *
 * See docs/guide/stripe.md.
 */
const { STRIPE_SECRET_KEY: secretKey, STRIPE_ACCOUNTS: accounts = '' } = process.env;

const cardNumbers: Partial<Readonly<Record<Presentation, string>>> = {
  approve: '4242424242424242',
  decline: '4000000000000002',
};

const without: Partial<Readonly<Record<ProcessorCapability, string>>> = {
  accountNotSetUp: 'test mode activates the capabilities of every account by itself',
  approvePartly: 'the simulated reader approves in full or not at all',
  cancelAtTerminal: 'a simulated reader that is canceled leaves the intent as it was',
  completeSetup: 'a setup is completed in an app',
  dispute: 'the simulated cards are not disputed',
  events: 'messages go to an endpoint, and not to this test',
  loseReply: 'Stripe loses none on purpose',
  advance: 'Stripe’s clock is its own',
  stalled: 'Stripe answers',
};

function live(key: string): () => ProcessorHarness {
  const ids = accounts.split(',').filter((id) => id !== '');
  if (ids.length < 2) throw new Error('STRIPE_ACCOUNTS must name two connected test accounts');
  const processor = value(createStripeProcessor({ secretKey: key, deadlineMs: 30_000 }));
  const stripe = new Stripe(key);
  const places = new Map<string, Promise<Place>>();
  let next = 0;

  interface Place {
    readonly location: string;
    readonly reader: string;
  }

  /** One location with a simulated reader for each account, for the whole run. */
  function placeIn(account: string): Promise<Place> {
    const place = places.get(account) ?? makePlace(account);
    places.set(account, place);
    return place;
  }

  async function makePlace(account: string): Promise<Place> {
    const options = { stripeAccount: account };
    const address = {
      line1: '510 Townsend Street',
      city: 'San Francisco',
      state: 'CA',
      country: 'US',
      postal_code: '94103',
    };
    const location = await stripe.terminal.locations.create(
      { display_name: 'Chairside contract', address },
      options,
    );
    const reader = await stripe.terminal.readers.create(
      { registration_code: 'simulated-wpe', location: location.id, label: 'contract' },
      options,
    );
    return { location: location.id, reader: reader.id };
  }

  async function present(clientSecret: string, presentation: Presentation): Promise<string> {
    const [intent = ''] = clientSecret.split('_secret_');
    const number = cardNumbers[presentation];
    if (number === undefined) throw new Error(`no card does this: ${presentation}`);
    const account = await ownerOf(intent);
    const { reader } = await placeIn(account);
    const options = { stripeAccount: account };
    await stripe.terminal.readers.processPaymentIntent(reader, { payment_intent: intent }, options);
    await stripe.testHelpers.terminal.readers.presentPaymentMethod(
      reader,
      { type: 'card_present', card_present: { number } },
      options,
    );
    await ended(reader, account);
    return intent;
  }

  async function ownerOf(intent: string): Promise<string> {
    for (const account of ids) {
      const found = await stripe.paymentIntents
        .retrieve(intent, {}, { stripeAccount: account })
        .catch(() => undefined);
      if (found !== undefined) return account;
    }
    throw new Error('the intent is in none of the accounts');
  }

  async function ended(reader: string, account: string): Promise<void> {
    for (let i = 0; i < 20; i += 1) {
      const seen = await stripe.terminal.readers.retrieve(reader, {}, { stripeAccount: account });
      if (!('action' in seen) || seen.action?.status !== 'in_progress') return;
    }
    throw new Error('the simulated reader did not come to an end');
  }

  return () => ({
    processor,
    clock: systemClock,
    newAccount: async () => {
      const id = ids[next % ids.length] ?? '';
      next += 1;
      return { id, currency: 'usd', terminalLocation: (await placeIn(id)).location };
    },
    rejectedLocation: 'tml_elsewhere',
    present,
    refund: async (reference, amountMinor) => {
      const account = await ownerOf(reference);
      const refund = { payment_intent: reference, amount: Number(amountMinor) };
      await stripe.refunds.create(refund, { stripeAccount: account });
    },
  });
}

if (secretKey === undefined) {
  describe('live: Stripe’s test mode', () => {
    it('holds the contract', (test) => {
      test.skip('NOT RUN: set STRIPE_SECRET_KEY and STRIPE_ACCOUNTS, see docs/guide/stripe.md');
    });
  });
  console.warn('live: the contract was NOT run against Stripe; STRIPE_SECRET_KEY is not set');
} else {
  processorContract('stripe, live test mode', live(secretKey), without);
}
