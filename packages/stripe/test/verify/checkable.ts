import type { Claim } from './claim.ts';
import { codeOf, statusOf, type World } from './world.ts';

const visa = '4242424242424242';
const daySeconds = 24 * 3600;

async function holdOf({ open, present }: World, number: typeof visa | '5555555555554444') {
  const { id } = await open();
  const { latest_charge: charge } = await present(id, number);
  if (charge === null || typeof charge === 'string') return 'no charge';
  const before = charge.payment_method_details?.card_present?.capture_before ?? 0;
  return `${Math.round((before - charge.created) / 3600)} hours`;
}

/** Saves a test card on the platform, and shares it with the account. Returns its charge. */
async function shared({ stripe, options, open }: World, test: string) {
  const customer = (await stripe.customers.create({})).id;
  const { id } = await stripe.setupIntents.create({
    customer,
    allowed_payment_method_types: ['card'],
    usage: 'off_session',
  });
  const { payment_method: saved } = await stripe.setupIntents.confirm(id, { payment_method: test });
  const copy = await stripe.paymentMethods.create(
    { customer, payment_method: `${saved}` },
    options,
  );
  return () =>
    open({
      allowed_payment_method_types: ['card'],
      confirm: true,
      off_session: true,
      payment_method: copy.id,
    });
}

/** The entry of an intent's charge or refund: its type, its source, its mark, and its sum. */
async function entryOf(
  stripe: World['stripe'],
  options: World['options'],
  intent: string,
  kind: 'charge' | 'refund',
): Promise<string> {
  const params = { limit: 10, expand: ['data.source.payment_intent'] };
  const { data } = await stripe.balanceTransactions.list(params, options);
  for (const { type, source, amount, fee, fee_details, net } of data) {
    if (source === null || typeof source === 'string' || source.object !== kind) continue;
    const { payment_intent: about } = source;
    if (about === null || typeof about !== 'object' || about.id !== intent) continue;
    const fees = fee_details.reduce((sum, one) => sum + one.amount, 0);
    const isSum = net === amount - fee && fees === fee;
    const mark = about.metadata['chairside_claim'];
    return `${type} of ${source.object}, ${mark}, ${isSum ? 'adds up' : 'does not add up'}`;
  }
  return 'no entry';
}

/** Claims that test mode can show. Each check returns its observation. */
export const checkable: readonly Claim[] = [
  {
    claim:
      'An intent for `card_present`, captured by hand, waits for a card, and its charge inherits its metadata',
    source: 'docs.stripe.com/terminal/payments/collect-card-payment',
    status: 'supported',
    expected: 'requires_payment_method, requires_capture, yes',
    async check({ open, present }) {
      const { id, status } = await open();
      const after = await present(id, visa);
      const { latest_charge: charge } = after;
      const mark = typeof charge === 'object' ? charge?.metadata['chairside_claim'] : undefined;
      return `${status}, ${after.status}, ${mark}`;
    },
  },
  {
    claim: 'An authorization of a Visa card in person is held for 4 days and 18 hours',
    source: 'docs.stripe.com/payments/place-a-hold-on-a-payment-method',
    status: 'supported',
    expected: `${(4 * daySeconds) / 3600 + 18} hours`,
    check: (world) => holdOf(world, visa),
  },
  {
    claim: 'One of Mastercard is held for two days, as are Amex and Discover',
    source: 'docs.stripe.com/payments/place-a-hold-on-a-payment-method',
    status: 'supported',
    expected: '48 hours',
    check: (world) => holdOf(world, '5555555555554444'),
  },
  {
    claim:
      'A second capture is refused with `payment_intent_unexpected_state`, and so is a cancel after it',
    source: 'docs.stripe.com/error-codes',
    status: 'supported',
    expected: 'payment_intent_unexpected_state, payment_intent_unexpected_state',
    async check({ stripe, options, open, present }) {
      const { id } = await open();
      await present(id, visa);
      await stripe.paymentIntents.capture(id, {}, options);
      const again = await codeOf(stripe.paymentIntents.capture(id, {}, options));
      return `${again}, ${await codeOf(stripe.paymentIntents.cancel(id, {}, options))}`;
    },
  },
  {
    claim:
      'A declined card leaves its charge and `last_payment_error`; any update clears the error',
    source: 'SDK 23.1.0, declarations',
    status: 'supported',
    expected: 'card_declined, failed, null',
    async check({ stripe, options, open, present }) {
      const { id } = await open();
      const { last_payment_error: error, latest_charge: charge } = await present(
        id,
        '4000000000000002',
      );
      const status = typeof charge === 'object' ? charge?.status : undefined;
      const after = await stripe.paymentIntents.update(id, { description: 'a note' }, options);
      return `${error?.code}, ${status}, ${after.last_payment_error}`;
    },
  },
  {
    claim: 'An intent shows in the list at once, with its metadata',
    source: 'docs.stripe.com/search (lists are not subject to its delay)',
    status: 'supported',
    expected: 'yes',
    async check({ stripe, options, open }) {
      const { id } = await open();
      const { data } = await stripe.paymentIntents.list({ limit: 100 }, options);
      return `${data.find((intent) => intent.id === id)?.metadata['chairside_claim']}`;
    },
  },
  {
    claim:
      'In a currency that is not local, Stripe leaves `card_present` out of an intent without an error',
    source: 'none',
    status: 'unverified',
    expected: 'left out',
    async check({ open }) {
      const { payment_method_types: types } = await open({ currency: 'eur' });
      return types.includes('card_present') ? 'kept' : 'left out';
    },
  },
  {
    claim: 'Interac cannot be captured by hand since version 2025-03-31.basil',
    source: 'docs.stripe.com/changelog',
    status: 'supported',
    expected: '400',
    check: ({ open }) =>
      statusOf(open({ allowed_payment_method_types: ['card_present', 'interac_present'] })),
  },
  {
    claim: 'A deleted location is still returned, with `deleted: true`',
    source: 'SDK 23.1.0, declarations',
    status: 'supported',
    expected: 'true',
    async check({ stripe, options }) {
      const address = { line1: '1 Main Street', city: 'Boston', state: 'MA', postal_code: '02108' };
      const { id } = await stripe.terminal.locations.create(
        { display_name: 'To be deleted', address: { ...address, country: 'US' } },
        options,
      );
      await stripe.terminal.locations.del(id, {}, options);
      return `${(await stripe.terminal.locations.retrieve(id, {}, options)).deleted}`;
    },
  },
  {
    claim:
      'A connection token for an unknown location is refused with `resource_missing` (400 or 404)',
    source: 'none',
    status: 'unverified',
    expected: 'resource_missing',
    check: ({ stripe, options }) =>
      codeOf(stripe.terminal.connectionTokens.create({ location: 'tml_elsewhere' }, options)),
  },
  {
    claim:
      'An account that the key does not reach is refused with `account_invalid` (403) or `resource_missing` (404)',
    source: 'none',
    status: 'unverified',
    expected: 'one of them',
    async check({ stripe }) {
      const code = await codeOf(stripe.accounts.retrieve('acct_1AAAAAAAAAAAAAAA'));
      return ['account_invalid', 'resource_missing'].includes(code) ? 'one of them' : code;
    },
  },
  {
    claim:
      'A saved card is charged with `confirm` and `off_session`; `off_session` alone is refused',
    source: 'SDK 23.1.0, declarations',
    status: 'supported',
    expected: '400',
    check: ({ open }) =>
      statusOf(open({ allowed_payment_method_types: ['card'], off_session: true })),
  },
  {
    claim:
      'A saved method of the platform is shared with a connected account, and its copy is charged there off-session, once',
    source: 'docs.stripe.com/connect/direct-charges-multiple-accounts',
    status: 'supported',
    expected: 'requires_capture, 400',
    async check(world) {
      const charge = await shared(world, 'pm_card_visa');
      const { status } = await charge();
      return `${status}, ${await statusOf(charge())}`;
    },
  },
  {
    claim: 'A bank that declines an off-session charge is a 402 with `card_declined`',
    source: 'docs.stripe.com/error-codes',
    status: 'supported',
    expected: 'card_declined',
    check: async (world) => codeOf((await shared(world, 'pm_card_chargeCustomerFail'))()),
  },
  {
    claim: 'A method that does not exist is refused with `resource_missing`',
    source: 'docs.stripe.com/error-codes',
    status: 'supported',
    expected: 'resource_missing, resource_missing',
    async check({ stripe, options, open }) {
      const payment_method = 'pm_1AAAAAAAAAAAAAAAAAAAAAAA';
      const shared = await codeOf(stripe.paymentMethods.create({ payment_method }, options));
      const types = { allowed_payment_method_types: ['card' as const] };
      const more = { confirm: true, off_session: true, payment_method };
      return `${shared}, ${await codeOf(open({ ...types, ...more }))}`;
    },
  },
  {
    claim:
      'The same key with other parameters is refused; with the same ones the first reply comes again',
    source: 'docs.stripe.com/api/idempotent_requests',
    status: 'supported',
    expected: 'same, 400',
    async check({ stripe, account }) {
      const key = `claim-${Date.now()}`;
      const options = { stripeAccount: account, idempotencyKey: key };
      const create = (description: string) =>
        stripe.paymentIntents.create(
          {
            amount: 4500,
            currency: 'usd',
            allowed_payment_method_types: ['card_present'],
            capture_method: 'manual',
            description,
          },
          options,
        );
      const [first, second] = [await create('a'), await create('a')];
      return `${first.id === second.id ? 'same' : 'another'}, ${await statusOf(create('b'))}`;
    },
  },
  {
    claim:
      'A deleted customer is still returned for the key that created it, shows `deleted` when it is read, and is refused as `resource_missing`',
    source: 'github.com/dj-stripe/dj-stripe/issues/916',
    status: 'supported',
    expected: 'same, deleted, resource_missing',
    async check({ stripe }) {
      const idempotencyKey = `claim-customer-${Date.now()}`;
      const create = () => stripe.customers.create({}, { idempotencyKey });
      const { id } = await create();
      await stripe.customers.del(id);
      const again = (await create()).id === id ? 'same' : 'another';
      const shown = (await stripe.customers.retrieve(id)).deleted ? 'deleted' : 'shown';
      return `${again}, ${shown}, ${await codeOf(stripe.setupIntents.create({ customer: id }))}`;
    },
  },
  {
    claim:
      'A captured charge changes the balance at once, in an entry whose fees add up; its source shows the intent if that is expanded',
    source: 'docs.stripe.com/expand/use-cases',
    status: 'supported',
    expected: 'charge of charge, yes, adds up',
    async check({ stripe, options, open, present }) {
      const { id } = await open();
      await present(id, visa);
      await stripe.paymentIntents.capture(id, {}, options);
      return entryOf(stripe, options, id, 'charge');
    },
  },
  {
    claim: 'A refund changes the balance in an entry whose source is the refund',
    source: 'docs.stripe.com/reports/balance-transaction-types',
    status: 'supported',
    expected: 'refund of refund, yes, adds up',
    async check({ stripe, options, open, present }) {
      const { id } = await open();
      await present(id, visa);
      await stripe.paymentIntents.capture(id, {}, options);
      await stripe.refunds.create({ payment_intent: id, amount: 1000 }, options);
      return entryOf(stripe, options, id, 'refund');
    },
  },
];
