import type Stripe from 'stripe';
import { type CardNumber, makePlace, processAndPresent } from './reader.ts';

/** The context of a check: the SDK itself, one connected account and a simulated reader. */
export interface World {
  readonly stripe: Stripe;
  readonly account: string;
  readonly options: { readonly stripeAccount: string };
  readonly location: string;
  open(change?: Partial<Stripe.PaymentIntentCreateParams>): Promise<Stripe.PaymentIntent>;
  /** Presents a card to the reader; returns the intent with its charge. */
  present(intent: string, number: CardNumber): Promise<Stripe.PaymentIntent>;
}

export async function openWorld(stripe: Stripe, account: string): Promise<World> {
  const options = { stripeAccount: account };
  const { location, reader } = await makePlace(stripe, options);
  return {
    stripe,
    account,
    options,
    location,
    open: (change) =>
      stripe.paymentIntents.create(
        {
          amount: 4500,
          currency: 'usd',
          allowed_payment_method_types: ['card_present'],
          capture_method: 'manual',
          metadata: { chairside_claim: 'yes' },
          ...change,
        },
        options,
      ),
    async present(intent, number) {
      await processAndPresent(stripe, reader, intent, number, options);
      const params = { expand: ['latest_charge'] };
      return stripe.paymentIntents.retrieve(intent, params, options);
    },
  };
}

/** The code of the expected rejection; `accepted` without one. */
export async function codeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'accepted';
  } catch (thrown) {
    const code = Reflect.get(Object(thrown), 'code');
    return typeof code === 'string' ? code : 'refused without a code';
  }
}

/** The HTTP status of the rejection. */
export async function statusOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'accepted';
  } catch (thrown) {
    return `${Reflect.get(Object(thrown), 'statusCode')}`;
  }
}
