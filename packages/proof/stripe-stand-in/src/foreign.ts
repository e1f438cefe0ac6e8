import type Stripe from 'stripe';
import type { Books } from './books.ts';
import { newIntent } from './intent.ts';
import { foreignDispute, foreignRefund } from './refund.ts';

/** The objects that other software makes in an account that it shares with us. */
export interface ForeignObjects {
  /** Payments without our marks, all made in this second. */
  readonly intents?: number;
  /** Refunds of the last intent, if any, with other ids than those of cards. */
  readonly refunds?: number;
  readonly disputes?: number;
  /** Instead of the members that these have otherwise. */
  readonly refund?: Partial<Stripe.Refund>;
  readonly dispute?: Partial<Stripe.Dispute>;
}

/** Adds the objects, with Stripe's messages about them. */
export function addForeign(
  books: Books,
  account: string | undefined,
  { intents = 0, refunds = 0, disputes = 0, refund, dispute }: ForeignObjects,
): void {
  const own = books.of(account);
  const at = books.now();
  let lastIntent: string | null = null;
  for (let made = 0; made < intents; made += 1) {
    const id = books.nextId('pi');
    const intent = newIntent({
      id,
      allowed_payment_method_types: null,
      amount: 1200,
      application_fee_amount: null,
      client_secret: books.nextId(`${id}_secret`),
      created: at,
      currency: 'usd',
      description: 'Subscription',
      destination: undefined,
      livemode: books.livemode,
      metadata: { order: `${made}` },
      on_behalf_of: null,
      payment_method_types: ['us_bank_account'],
    });
    own.intents.set(id, intent);
    lastIntent = id;
    books.tell(account, 'payment_intent.created', intent);
    books.tell(account, 'payment_intent.processing', intent);
  }
  for (let made = 0; made < refunds; made += 1) {
    const made = foreignRefund(books.nextId('pyr'), at);
    const one = { ...made, payment_intent: lastIntent, ...refund };
    own.refunds.set(one.id, one);
    books.tell(account, 'refund.created', one);
  }
  for (let made = 0; made < disputes; made += 1) {
    const one = { ...foreignDispute(books.nextId('du'), at, books.livemode), ...dispute };
    own.disputes.set(one.id, one);
    books.tell(account, 'charge.dispute.created', one);
  }
}
