import { createStripeStandIn, type Outcome, type StripeCardName } from '@chairside/stripe-stand-in';
import { createManualClock } from '@chairside/testkit';
import { describe, expect, it } from 'vitest';

const secretKey = ['sk', 'test', 'standin'].join('_');
const webhookSecret = ['whsec', 'standin_0123456789abcdef'].join('_');

function setUp() {
  const standIn = createStripeStandIn({ clock: createManualClock(), secretKey, webhookSecret });
  const account = standIn.addAccount().id;
  let keys = 0;
  const post = (path: string, body: string, of?: string) => {
    keys += 1;
    return read(
      standIn.serve({
        method: 'POST',
        path: `/v1/${path}`,
        body,
        headers: {
          authorization: `Bearer ${secretKey}`,
          'stripe-version': '2026-10-28.endive',
          'idempotency-key': `${keys}`,
          ...(of !== undefined && { 'stripe-account': of }),
        },
      }),
    );
  };
  /** A method on the platform: saved for a customer, or not. */
  function saved(more: { card?: StripeCardName; usage?: string; isKept?: boolean } = {}) {
    const { card, usage = 'off_session', isKept = true } = more;
    const customer = isKept ? `${post('customers', 'metadata[a]=1').body.id}` : undefined;
    const owner = customer === undefined ? '' : `&customer=${customer}`;
    const { client_secret } = post('setup_intents', `usage=${usage}${owner}`).body;
    standIn.completeSetup(client_secret, card);
    return { customer, method: `${standIn.setups().at(-1)?.payment_method}` };
  }
  return { standIn, account, post, saved };
}

function read(outcome: Outcome) {
  if (outcome.kind !== 'answer') throw new Error(outcome.kind);
  return { status: outcome.status, body: JSON.parse(outcome.text) };
}

const card =
  'amount=2000&currency=usd&allowed_payment_method_types[0]=card&capture_method=manual&confirm=true&off_session=true';

describe('the stand-in of Stripe, for saved cards', () => {
  it('charges a saved card with its customer, and holds the amount', () => {
    const { post, saved } = setUp();
    const { customer, method } = saved();
    const made = post('payment_intents', `${card}&customer=${customer}&payment_method=${method}`);
    expect(made.status).toBe(200);
    expect(made.body).toMatchObject({ status: 'requires_capture', amount_capturable: 2000 });
  });

  it('refuses off_session without confirm, and confirm without a method', () => {
    const { post, saved, standIn } = setUp();
    const { customer, method } = saved();
    const owned = `customer=${customer}&payment_method=${method}`;
    for (const [body, param] of [
      [`${card.replace('&confirm=true', '')}&${owned}`, 'off_session'],
      [`${card}&customer=${customer}`, 'payment_method'],
      [`${card.replace('=card&', '=card_present&')}&${owned}`, 'confirm'],
    ]) {
      const { status, body: refused } = post('payment_intents', body ?? '');
      expect([status, refused.error.param]).toEqual([400, param]);
    }
    expect(standIn.intents()).toEqual([]);
  });

  it('refuses the method of another customer or account, and one without its customer', () => {
    const { post, saved, account, standIn } = setUp();
    const { customer, method } = saved();
    const { customer: other } = saved();
    const use = (owner: string, of?: string) =>
      post('payment_intents', `${card}&payment_method=${method}${owner}`, of).status;
    expect(use(`&customer=${other}`)).toBe(400);
    expect(use('&customer=cus_none')).toBe(400);
    expect(use('')).toBe(400);
    // The method is the platform's, and unknown to the account until it is shared.
    expect(use(`&customer=${customer}`, account)).toBe(400);
    expect(post('payment_methods', `payment_method=${method}`, account).status).toBe(400);
    expect(post('payment_methods', `payment_method=${method}&customer=${customer}`).status).toBe(
      400,
    );
    expect(standIn.intents()).toEqual([]);
  });

  it('uses up a method without a customer, and a copy of a shared one', () => {
    const { post, saved, account } = setUp();
    const single = saved({ isKept: false }).method;
    const share = (body: string) => post('payment_methods', body, account);
    const copy = share(`payment_method=${single}`).body.id;
    expect(share(`payment_method=${single}`).status).toBe(400);
    const charge = () => post('payment_intents', `${card}&payment_method=${copy}`, account).status;
    expect([charge(), charge()]).toEqual([200, 400]);
  });

  it.each([
    ['needs_customer', 'off_session', 'authentication_required'],
    ['declined_when_saved', 'off_session', 'card_declined'],
    // It was not set up for charges without its customer.
    ['visa_credit', 'on_session', 'authentication_required'],
  ] as const)(
    'lets the bank refuse %s, set up for %s, and keeps the intent',
    (name, usage, code) => {
      const { post, saved, standIn } = setUp();
      const { customer, method } = saved({ card: name, usage });
      const { status, body } = post(
        'payment_intents',
        `${card}&customer=${customer}&payment_method=${method}`,
      );
      expect([status, body.error.type, body.error.code]).toEqual([402, 'card_error', code]);
      expect(standIn.intents()).toMatchObject([
        {
          id: body.error.payment_intent.id,
          status: 'requires_payment_method',
          amount_capturable: 0,
        },
      ]);
      expect(standIn.events.map(({ type }) => type).slice(-1)).toEqual([
        'payment_intent.payment_failed',
      ]);
    },
  );

  it('forgets the customer of a method that the customer has removed', () => {
    const { post, saved } = setUp();
    const { customer, method } = saved({ card: 'vanishes' });
    const owned = `${card}&customer=${customer}&payment_method=${method}`;
    expect(post('payment_intents', owned).status).toBe(400);
  });
});
