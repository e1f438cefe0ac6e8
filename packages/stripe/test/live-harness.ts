import { systemClock } from '@chairside/core';
import { createStripeProcessor, type StripeOptions } from '@chairside/stripe';
import type {
  Presentation,
  ProcessorCapability,
  ProcessorHarness,
} from '@chairside/testkit/contracts';
import Stripe from 'stripe';
import { value } from './stand-in.ts';
import { type CardNumber, makePlace, processAndPresent } from './verify/reader.ts';

const cardNumbers: Partial<Readonly<Record<Presentation, CardNumber>>> = {
  approve: '4242424242424242',
  decline: '4000000000000002',
};

export const notInTestMode: Partial<Readonly<Record<ProcessorCapability, string>>> = {
  accountNotSetUp: 'test mode activates the capabilities of every account by itself',
  capturesEndLater: 'Stripe’s reply to a capture shows its end',
  rateLimit: 'Stripe limits no test on purpose',
  refuse: 'Stripe accepts connections',
  second: 'the tests share one adapter',
  silent: 'Stripe answers',
  spoil: 'Stripe’s lists are as it declares them',
  copy: 'the tests have one account',
  otherMessage: 'messages go to an endpoint, and not to this test',
  endRefund: 'a card’s bank ends refunds',
  closeDispute: 'the simulated cards are not disputed',
  processing: 'no test card of a reader stays processing',
  approveInterac: 'the adapter allows no Interac card',
  approvePartly: 'the simulated reader approves in full or not at all',
  cancelAtTerminal: 'a simulated reader that is canceled leaves the intent as it was',
  completeSetup: 'a setup is completed in an app',
  forgetCustomer: 'the adapter makes the customers',
  dispute: 'the simulated cards are not disputed',
  payOut: 'test mode follows the schedule of the account',
  failPayout: 'the bank of a test account decides',
  events: 'messages go to an endpoint, and not to this test',
  loseReply: 'Stripe loses none on purpose',
  fail: 'Stripe does not fail on purpose',
  alterReply: 'Stripe writes its replies as it declares them',
  garbleReply: 'Stripe writes its replies as it declares them',
  books: 'Stripe’s books are what the adapter reads',
  advance: 'Stripe’s clock is its own',
  stalled: 'Stripe answers',
};

/** The address of Stripe, and the connected accounts to use. */
export interface TestMode {
  readonly secretKey: string;
  readonly accounts: readonly string[];
  readonly api?: StripeOptions['api'];
}

/** The settings from the environment; `undefined` without a key. */
export function testModeOf(env: NodeJS.ProcessEnv): TestMode | undefined {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_ACCOUNTS = '', STRIPE_API_BASE: base } = env;
  if (secretKey === undefined) return undefined;
  const accounts = STRIPE_ACCOUNTS.split(',').filter((id) => id !== '');
  if (base === undefined) return { secretKey, accounts };
  const { hostname: host, port } = new URL(base);
  return { secretKey, accounts, api: { host, port: Number(port), protocol: 'http' } };
}

export function connect({ secretKey, api }: TestMode): Stripe {
  return new Stripe(secretKey, { ...api, maxNetworkRetries: 1 });
}

export function liveHarness(mode: TestMode): () => ProcessorHarness {
  const { secretKey, accounts: ids, api } = mode;
  if (ids.length < 2) throw new Error('STRIPE_ACCOUNTS must name two connected test accounts');
  const processor = value(createStripeProcessor({ secretKey, api, deadlineMs: 30_000 }));
  const stripe = connect(mode);
  const places = new Map<string, Promise<Place>>();
  let next = 0;

  interface Place {
    readonly location: string;
    readonly reader: string;
  }

  /** One location with a simulated reader for each account, for the whole run. */
  function placeIn(account: string): Promise<Place> {
    const place = places.get(account) ?? makePlace(stripe, { stripeAccount: account });
    places.set(account, place);
    return place;
  }

  async function present(clientSecret: string, presentation: Presentation): Promise<string> {
    const [intent = ''] = clientSecret.split('_secret_');
    const number = cardNumbers[presentation];
    if (number === undefined) throw new Error(`no card does this: ${presentation}`);
    const account = await ownerOf(intent);
    const { reader } = await placeIn(account);
    await processAndPresent(stripe, reader, intent, number, { stripeAccount: account });
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
