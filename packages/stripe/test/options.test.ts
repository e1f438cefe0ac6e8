import { systemClock } from '@chairside/core';
import { createStripeProcessor, isLiveKey, type StripeOptions } from '@chairside/stripe';
import { describe, expect, it } from 'vitest';
import { checkOptions } from '../src/options.ts';
import { defaultTables } from '../src/tables.ts';
import { notApplied, problem, secretKey, setUp, value } from './stand-in.ts';

const key = (...parts: string[]) => parts.join('_');
const live = key('sk', 'live', 'chairside');

const refusal = (options: Partial<StripeOptions>) =>
  createStripeProcessor({ secretKey, ...options }).match(
    () => 'accepted',
    ({ kind }) => kind,
  );

describe('options', () => {
  it.each([
    ['a publishable key', { secretKey: key('pk', 'test', 'x') }, 'invalidKey'],
    ['no key', { secretKey: '' }, 'invalidKey'],
    ['a key with a line break', { secretKey: `${secretKey}\n` }, 'invalidKey'],
    ['a live key by mistake', { secretKey: live }, 'liveKeyNotAllowed'],
    [
      'a live restricted key by mistake',
      { secretKey: key('rk', 'live', 'x') },
      'liveKeyNotAllowed',
    ],
    [
      'a live key for another host',
      {
        secretKey: live,
        allowLiveKey: true,
        api: { host: 'localhost', port: 1, protocol: 'http' },
      },
      'liveKeyElsewhere',
    ],
    ['an empty webhook secret', { webhookSecrets: [''] }, 'invalidWebhookSecret'],
    ...['undefined', 'null', 'whsec_...', 'whsec_', 'whsec_undefined', 'x'.repeat(40)].map(
      (text): [string, Partial<StripeOptions>, string] => [
        `the webhook secret ${text}`,
        { webhookSecrets: [text] },
        'invalidWebhookSecret',
      ],
    ),
    ['a webhook secret with a blank', { webhookSecrets: ['whsec_ab cd'] }, 'invalidWebhookSecret'],
    ['no time at all', { deadlineMs: 0 }, 'invalidDeadline'],
    ['all the time in the world', { deadlineMs: Number.POSITIVE_INFINITY }, 'invalidDeadline'],
  ] satisfies [string, Partial<StripeOptions>, string][])(
    'with %s are rejected',
    (_, options, kind) => {
      expect(refusal(options)).toBe(kind);
    },
  );

  it('with a confirmed live key are accepted', () => {
    const stripe = value(createStripeProcessor({ secretKey: live, allowLiveKey: true }));
    expect(stripe.livemode).toBe(true);
    expect([live, secretKey].map(isLiveKey)).toEqual([true, false]);
    stripe.close();
  });

  it('with a restricted test key are accepted', () => {
    expect(refusal({ secretKey: key('rk', 'test', 'x') })).toBe('accepted');
  });

  it('describe a wrong key without showing it', () => {
    const result = createStripeProcessor({ secretKey: live });
    expect(JSON.stringify(result)).not.toContain(live);
  });

  it('of a live account reject a test account’s objects', async () => {
    const set = setUp({ secretKey: live, allowLiveKey: true });
    const opened = value(await set.stripe.openPayment(set.charge));
    expect(opened.reference).toBe(set.standIn.intents()[0]?.id);
    set.standIn.failNext('retrievePaymentIntent', (body) => ({ ...body, livemode: false }));
    const read = await set.stripe.readPayment({ ...set.handle, reference: `${opened.reference}` });
    expect(problem(read)).toMatchObject({ outcome: 'unknown' });
    const { account } = set.handle;
    value(await set.stripe.createConnectionToken({ account }));
    set.standIn.failNext('createConnectionToken', (body) => ({ ...body, secret: 'pst_test_1' }));
    const token = await set.stripe.createConnectionToken({ account });
    expect(problem(token)).toMatchObject({ outcome: 'unknown' });
  });
});

it('undefined options count as omitted, and so do tables', () => {
  const given = checkOptions({
    secretKey,
    allowLiveKey: undefined,
    clock: undefined,
    webhookSecrets: undefined,
    charges: undefined,
    tables: { networks: undefined, wallets: {} },
    findCustomer: undefined,
    saveCustomer: undefined,
    deadlineMs: undefined,
    maxReplyBytes: undefined,
    api: undefined,
    httpClient: undefined,
  });
  expect(value(given)).toMatchObject({
    clock: systemClock,
    webhookSecrets: [],
    charges: 'direct',
    tables: { ...defaultTables, wallets: {} },
    deadlineMs: 20_000,
    maxReplyBytes: 8 * 1024 * 1024,
  });
});

describe('checking an account', () => {
  const check = async (change: object, more: object = {}) => {
    const { stripe, standIn, account } = setUp();
    standIn.changeAccount(account.id, change);
    const terminalLocation = standIn.addLocation(account.id, undefined, 'US');
    const asked = { id: account.id, currency: 'usd', terminalLocation, ...more };
    return value(await stripe.checkAccount(asked));
  };

  it('finds no obstacle for an account that is ready', async () => {
    expect(await check({})).toEqual({
      canTakeCardPayments: true,
      obstacles: [],
      warnings: [],
      country: 'US',
      defaultCurrency: 'usd',
      tokenReach: 'account',
    });
  });

  it.each([
    [{ revoked: true }, {}, ['noAccess']],
    [{ chargesEnabled: false }, {}, ['chargesDisabled']],
    [{ cardPayments: 'inactive' }, {}, ['cardPaymentsInactive']],
    [{}, { currency: 'jpy' }, ['currencyUnsupported', 'currencyNotLocal']],
    [{}, { terminalLocation: 'tml_elsewhere' }, ['locationUnknown']],
    [{}, { terminalLocation: '../accounts' }, ['locationUnknown']],
    [{}, { terminalLocation: undefined }, ['locationMissing']],
    [{}, { currency: 'eur' }, ['currencyNotLocal']],
    [{ country: 'GB', currency: 'usd' }, {}, ['currencyNotLocal', 'locationAbroad']],
    [{ country: 'DE' }, { currency: 'eur' }, ['locationAbroad']],
    [{}, { id: 'nobody' }, ['noAccess']],
    [
      { chargesEnabled: false, cardPayments: 'pending' },
      { currency: 'kwd' },
      ['currencyUnsupported', 'chargesDisabled', 'cardPaymentsInactive', 'currencyNotLocal'],
    ],
  ])('names the obstacle: %o %o', async (change, more, kinds) => {
    const { canTakeCardPayments, obstacles } = await check(change, more);
    expect(canTakeCardPayments).toBe(false);
    expect(obstacles.map(({ kind }) => kind)).toEqual(kinds);
  });

  it('warns that nothing is paid out, which hinders no payment', async () => {
    expect(await check({ payoutsEnabled: false })).toMatchObject({
      canTakeCardPayments: true,
      obstacles: [],
      warnings: [{ kind: 'payoutsDisabled' }],
    });
    const both = await check({ chargesEnabled: false, payoutsEnabled: false });
    const why = 'requirements.past_due';
    expect(both.warnings).toEqual([{ kind: 'payoutsDisabled', why }]);
    expect(both.obstacles).toEqual([{ kind: 'chargesDisabled', why }]);
  });

  it('says that the key is rejected', async () => {
    const { another, account } = setUp();
    const stripe = another({ secretKey: 'sk_test_rolled' });
    const { id, currency } = account;
    const checked = value(await stripe.checkAccount({ id, currency }));
    expect(checked).toMatchObject({
      canTakeCardPayments: false,
      obstacles: [{ kind: 'keyRejected' }],
    });
  });

  it('requires transfers for destination charges', async () => {
    const { stripe, standIn, account } = setUp({ charges: 'destination' });
    standIn.changeAccount(account.id, { transfers: 'inactive' });
    const { id, currency } = account;
    const terminalLocation = standIn.addLocation();
    const { obstacles } = value(await stripe.checkAccount({ id, currency, terminalLocation }));
    expect(obstacles).toEqual([{ kind: 'transfersInactive' }]);
  });

  it('names the different countries, and the right currency', async () => {
    const { stripe, standIn, account } = setUp();
    standIn.changeAccount(account.id, { country: 'DE', currency: 'eur' });
    const terminalLocation = standIn.addLocation(account.id, undefined, 'US');
    const { id } = account;
    const checked = await stripe.checkAccount({ id, currency: 'usd', terminalLocation });
    expect(value(checked).obstacles).toEqual([
      { kind: 'currencyNotLocal', local: 'eur' },
      { kind: 'locationAbroad', location: 'US', account: 'DE' },
    ]);
  });

  it('compares the currency with the account’s own in a country without a known one', async () => {
    const { obstacles } = await check({ country: 'XX', currency: 'usd' });
    expect(obstacles.map(({ kind }) => kind)).toEqual(['locationAbroad']);
  });

  it('does not accept a deleted location, which Stripe still returns', async () => {
    const { stripe, standIn, account } = setUp();
    const terminalLocation = standIn.addLocation(account.id);
    standIn.removeLocation(terminalLocation);
    const { id, currency } = account;
    const checked = value(await stripe.checkAccount({ id, currency, terminalLocation }));
    expect(checked).toMatchObject({
      canTakeCardPayments: false,
      obstacles: [{ kind: 'locationDeleted' }],
    });
  });

  it('returns the reach of a connection token (D40)', async () => {
    const { stripe, standIn, account } = setUp({ charges: 'destination' });
    const terminalLocation = standIn.addLocation();
    const { id, currency } = account;
    const { tokenReach } = value(await stripe.checkAccount({ id, currency, terminalLocation }));
    expect(tokenReach).toBe('platform');
  });

  it('knows the locations of the account, or of the platform', async () => {
    for (const charges of ['direct', 'destination'] as const) {
      const { stripe, standIn, account } = setUp({ charges });
      const { id, currency } = account;
      const terminalLocation = standIn.addLocation(charges === 'direct' ? id : undefined);
      const checked = value(await stripe.checkAccount({ id, currency, terminalLocation }));
      expect(checked.obstacles).toEqual([]);
    }
  });

  it('reports that Stripe cannot be read', async () => {
    const { stripe, standIn, account } = setUp();
    standIn.failNext('retrieveAccount', 'refused');
    const checked = await stripe.checkAccount({ id: account.id, currency: 'usd' });
    expect(problem(checked)).toEqual(notApplied);
  });
});

describe('destination charges', () => {
  it('belong to the platform and pay the business', async () => {
    const { stripe, standIn, account, charge } = setUp({ charges: 'destination' });
    value(await stripe.openPayment(charge));
    expect(standIn.requests.map((request) => request.account)).toEqual([undefined]);
    expect(standIn.intents()[0]).toMatchObject({
      on_behalf_of: account.id,
      transfer_data: { destination: account.id },
    });
  });

  it('are not accepted as direct ones', async () => {
    const { stripe, standIn, charge, account, clock } = setUp({ charges: 'destination' });
    const { reference } = value(await stripe.openPayment(charge));
    const direct = setUp({ httpClient: standIn.httpClient, clock }).stripe;
    const claim = await direct.readPayment({ ...charge, account: account.id }, reference);
    expect(problem(claim)).toEqual({ kind: 'rejected', reason: 'foreignReference' });
  });
});
