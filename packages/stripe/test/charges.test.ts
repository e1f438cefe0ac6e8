import { hourMs } from '@chairside/core';
import type { SavedMethod } from '@chairside/core/ports';
import type { StripeCardName } from '@chairside/stripe-stand-in';
import { describe, expect, it } from 'vitest';
import {
  answered,
  notApplied,
  problem,
  rejected,
  type SetUp,
  setUp,
  unknown,
  value,
} from './stand-in.ts';

async function savedMethod(
  { stripe, standIn, clock }: SetUp,
  { card, save = true }: { readonly card?: StripeCardName; readonly save?: boolean } = {},
): Promise<SavedMethod> {
  const setup = {
    setupId: 'pms_1',
    installation: 'shop',
    customerId: 'customer',
    savePaymentMethod: save,
    begunAt: clock.now(),
    idempotencyKey: 'setup_1',
  };
  const { clientSecret } = value(await stripe.openSetup(setup));
  standIn.completeSetup(clientSecret, card);
  const { reference = '', paymentMethod = '' } = value(await stripe.readSetup(setup)) ?? {};
  return { customerId: 'customer', setupReference: reference, paymentMethod };
}

async function request(set: SetUp, given?: Parameters<typeof savedMethod>[1]) {
  return { ...set.charge, paymentId: 'chg_1', method: await savedMethod(set, given) };
}

const sent = ({ standIn }: SetUp, route: string) =>
  standIn.requests.filter((one) => one.route === route);
const copiesIn = (set: SetUp) =>
  sent(set, 'createPaymentIntent').map((one) => one.params['payment_method']);
const gone = rejected('methodGone');

describe('a direct charge of a saved card', () => {
  it('shares the method with the account of the business, and confirms off-session there', async () => {
    const set = setUp();
    const visit = {
      appointmentId: 'a',
      businessId: 'b',
      barberId: 'c',
      purpose: 'noShow',
    } as const;
    const asked = { ...(await request(set)), visit };
    const charged = value(await set.stripe.charges.authorize(asked));
    expect(set.standIn.intents()[0]?.metadata).toMatchObject({ chairside_purpose: 'noShow' });
    expect(charged).toMatchObject({ status: 'authorized', amountMinor: 4537n });
    const [customer] = set.standIn.setups().map((setup) => setup.customer);
    const [shared] = sent(set, 'createPaymentMethod');
    expect(shared).toMatchObject({
      account: set.account.id,
      params: { payment_method: asked.method.paymentMethod, customer },
    });
    const [made] = sent(set, 'createPaymentIntent');
    expect(made).toMatchObject({
      account: set.account.id,
      params: {
        confirm: 'true',
        off_session: 'true',
        capture_method: 'manual',
        allowed_payment_method_types: { 0: 'card' },
        metadata: { chairside_payment: 'chg_1', chairside_installation: 'shop' },
      },
    });
    // The copy on the account of the business has no customer there.
    expect(made?.params).not.toHaveProperty('customer');
    expect(made?.params['payment_method']).not.toBe(asked.method.paymentMethod);
  });

  it('shares a method without a customer once, even if its first charge was not applied', async () => {
    const set = setUp();
    const asked = await request(set, { save: false });
    set.standIn.failNext('createPaymentIntent', 'rateLimited');
    const first = await set.stripe.charges.authorize(asked);
    expect(problem(first)).toEqual({ kind: 'rateLimited' });
    const again = { ...asked, paymentId: 'chg_2', idempotencyKey: 'open_2' };
    const charged = value(await set.stripe.charges.authorize(again));
    expect(charged.status).toBe('authorized');
    const another = { ...asked, paymentId: 'chg_3', idempotencyKey: 'open_3' };
    expect(problem(await set.stripe.charges.authorize(another))).toEqual(gone);
  });

  it('shares it under another key once Stripe repeats its own failure, and then under that one', async () => {
    const set = setUp();
    const asked = await request(set, { save: false });
    set.standIn.failNext('createPaymentMethod', 'failure');
    expect(problem(await set.stripe.charges.authorize(asked))).toEqual(answered);
    expect(sent(set, 'createPaymentMethod')).toHaveLength(1);
    set.standIn.failNext('createPaymentIntent', 'failure');
    const second = { ...asked, idempotencyKey: 'open_2' };
    expect(problem(await set.stripe.charges.authorize(second))).toEqual(answered);
    const third = { ...asked, idempotencyKey: 'open_3' };
    expect(value(await set.stripe.charges.authorize(third)).status).toBe('authorized');
    const [first, ...others] = sent(set, 'createPaymentMethod').map((one) => one.idempotencyKey);
    expect(others).toEqual([first, `${first}:1`, first, `${first}:1`]);
    expect(new Set(copiesIn(set)).size).toBe(1);
  });

  it('shares it under another key once Stripe repeats a refusal, because the account may be mended', async () => {
    const set = setUp();
    const asked = await request(set, { save: false });
    set.standIn.changeAccount(set.account.id, { chargesEnabled: false });
    expect(problem(await set.stripe.charges.authorize(asked))).toEqual({ kind: 'notSetUp' });
    set.standIn.changeAccount(set.account.id, { chargesEnabled: true });
    const again = { ...asked, idempotencyKey: 'open_2' };
    expect(value(await set.stripe.charges.authorize(again)).status).toBe('authorized');
    const [first, ...others] = sent(set, 'createPaymentMethod').map((one) => one.idempotencyKey);
    expect(others).toEqual([first, `${first}:1`]);
  });

  it('does not call it gone because of refusals that Stripe repeats', async () => {
    const set = setUp();
    const asked = await request(set, { save: false });
    set.standIn.changeAccount(set.account.id, { chargesEnabled: false });
    const authorize = async (n: number) =>
      problem(await set.stripe.charges.authorize({ ...asked, idempotencyKey: `open_${n}` }));
    for (let n = 0; n <= 10; n += 1) expect(await authorize(n)).toEqual({ kind: 'notSetUp' });
    set.standIn.changeAccount(set.account.id, { chargesEnabled: true });
    expect(await authorize(11)).toEqual(rejected('refused'));
  });

  it('is gone if Stripe had shared it before its own failure', async () => {
    const set = setUp();
    const asked = await request(set, { save: false });
    set.standIn.failNext('createPaymentMethod', 'failureAfterApplying');
    expect(problem(await set.stripe.charges.authorize(asked))).toEqual(answered);
    const again = { ...asked, idempotencyKey: 'open_2' };
    expect(problem(await set.stripe.charges.authorize(again))).toEqual(gone);
    expect(sent(set, 'createPaymentIntent')).toEqual([]);
  });
});

it('is not held twice if Stripe is overloaded while the first request still runs', async () => {
  const set = setUp();
  const asked = await request(set);
  const authorized = async () => problem(await set.stripe.charges.authorize(asked));
  set.standIn.failNext('createPaymentIntent', 'unfinished');
  expect(await authorized()).toEqual(unknown);
  // Were it answered, the core would use another key.
  set.standIn.failNext('createPaymentIntent', 'overloaded');
  expect(await authorized()).toEqual(unknown);
  expect(await authorized()).toEqual(unknown);
  expect(set.standIn.finish()).toBe(1);
  const charged = value(await set.stripe.charges.authorize(asked));
  expect(set.standIn.intents().map(({ id }) => id)).toEqual([charged.reference]);
});

it('charges the platform, where that is the merchant, and transfers to the business', async () => {
  const set = setUp({ charges: 'destination' });
  const asked = await request(set);
  value(await set.stripe.charges.authorize(asked));
  expect(sent(set, 'createPaymentMethod')).toEqual([]);
  const [made] = sent(set, 'createPaymentIntent');
  expect(made?.account).toBeUndefined();
  expect(made?.params).toMatchObject({
    customer: expect.any(String),
    payment_method: asked.method.paymentMethod,
    on_behalf_of: set.account.id,
    transfer_data: { destination: set.account.id },
  });
});

describe.each(['direct', 'destination'] as const)('a refused card (%s charges)', (charges) => {
  it.each([
    ['needs_customer', 'customerMustAct'],
    ['declined_when_saved', undefined],
    ['unusable_when_saved', 'cardUnusable'],
  ] as const)('is the failed entry of its intent: %s', async (card, refusal) => {
    const set = setUp({ charges });
    const asked = await request(set, { card });
    const refused = value(await set.stripe.charges.authorize(asked));
    expect(refused.status).toBe('failed');
    expect(refused.refusal).toBe(refusal);
    // An update of the intent clears its error; the charge of the refusal still tells.
    set.standIn.touch(refused.reference ?? '');
    const seen = value(await set.stripe.readPayment(asked));
    expect(seen).toMatchObject({ status: 'failed' });
    expect(seen?.refusal).toBe(refusal);
  });

  it('is gone if the customer has removed it', async () => {
    const set = setUp({ charges });
    expect(
      problem(await set.stripe.charges.authorize(await request(set, { card: 'vanishes' }))),
    ).toEqual(gone);
  });

  it('is unknown as long as its intent cannot be read', async () => {
    const set = setUp({ charges });
    const asked = await request(set, { card: 'needs_customer' });
    set.standIn.failNext('listPaymentIntents', 'resetAfterApplying', 3);
    expect(problem(await set.stripe.charges.authorize(asked))).toEqual(unknown);
  });
});

const decline = { code: 'card_declined' };
it.each([
  [{ code: 'authentication_required' }, 'customerMustAct'],
  [{ ...decline, decline_code: 'authentication_required' }, 'customerMustAct'],
  [{ ...decline, decline_code: 'authentication_not_handled' }, 'customerMustAct'],
  [{ code: 'expired_card' }, 'cardUnusable'],
  [{ ...decline, decline_code: 'stolen_card' }, 'cardUnusable'],
  [{ ...decline, decline_code: 'pickup_card', advice_code: null }, 'cardUnusable'],
  [
    { ...decline, decline_code: 'generic_decline', advice_code: 'do_not_try_again' },
    'cardUnusable',
  ],
  [{ ...decline, decline_code: 'insufficient_funds', advice_code: 'try_again_later' }, undefined],
  [{ ...decline, decline_code: 'a_new_one', advice_code: 'a_new_one' }, undefined],
  [{ ...decline, decline_code: null }, undefined],
  [decline, undefined],
])('is refused for ever or for now as Stripe says: %j', async (error, refusal) => {
  const set = setUp();
  const asked = await request(set, { card: 'declined_when_saved' });
  value(await set.stripe.charges.authorize(asked));
  const told = (body: object) => ({ ...body, last_payment_error: error });
  set.standIn.failNext('retrievePaymentIntent', told);
  expect(value(await set.stripe.readPayment(asked))?.refusal).toBe(refusal);
  // An earlier tap with such a card says nothing about the next one.
  set.standIn.failNext('retrievePaymentIntent', (body) => ({
    ...told(body),
    payment_method_types: ['card_present'],
  }));
  expect(value(await set.stripe.readPayment(asked))).not.toHaveProperty('refusal');
});

it('says of no saved card that it is gone while Stripe has it, or cannot say so', async () => {
  const set = setUp();
  const undocumented = { type: 'invalid_request_error', code: 'charge_not_enabled', message: '' };
  const asked = await request(set);
  const authorize = (idempotencyKey: string) => {
    set.standIn.failNext('createPaymentMethod', () => ({ error: undocumented }));
    return set.stripe.charges.authorize({ ...asked, idempotencyKey });
  };
  expect(problem(await authorize('first'))).toEqual(rejected('charge_not_enabled'));
  set.standIn.failNext('retrievePaymentMethod', 'refused');
  expect(problem(await authorize('second'))).toEqual(notApplied);
  expect(sent(set, 'createPaymentIntent')).toEqual([]);
});

it('sends no request once Stripe may have forgotten its key', async () => {
  const set = setUp();
  const asked = await request(set);
  set.clock.advance(20 * hourMs);
  expect(problem(await set.stripe.charges.authorize(asked))).toEqual(rejected('tooOld'));
  expect(sent(set, 'createPaymentIntent')).toEqual([]);
});

it('finds the charge that an earlier request made', async () => {
  const set = setUp();
  const asked = await request(set);
  const { reference } = value(await set.stripe.charges.authorize(asked));
  set.clock.advance(20 * hourMs);
  expect(value(await set.stripe.charges.authorize(asked))).toMatchObject({ reference });
});

it('charges no method of another installation', async () => {
  const set = setUp();
  const asked = { ...(await request(set)), installation: 'another' };
  expect(problem(await set.stripe.charges.authorize(asked))).toEqual(gone);
  const odd = { ...asked, method: { ...asked.method, setupReference: '../v1/x' } };
  expect(problem(await set.stripe.charges.authorize(odd))).toEqual(gone);
});
