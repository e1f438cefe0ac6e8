import { describe, expect, it } from 'vitest';
import { setUp, value } from './stand-in.ts';

const url = 'https://shop.example/payments/processor/events';

describe('what a person has to mend at Stripe', () => {
  it('is nothing for an account and an endpoint that are well', async () => {
    const { stripe, standIn, account } = setUp();
    standIn.addWebhookEndpoint();
    const terminalLocation = standIn.addLocation(account.id);
    const { id, currency } = account;
    expect(value(await stripe.diagnose({ id, currency, terminalLocation }))).toEqual([
      { level: 'ok', found: 'It can take cards in person in US.' },
    ]);
    expect(value(await stripe.diagnose())).toEqual([
      { level: 'ok', found: `${url} gets the messages, in API version 2026-10-28.endive.` },
    ]);
  });

  it('is that an account pays nothing out, which hinders no payment', async () => {
    const { stripe, standIn, account } = setUp();
    const { id, currency } = account;
    const terminalLocation = standIn.addLocation(id);
    standIn.changeAccount(id, { payoutsEnabled: false });
    expect(value(await stripe.diagnose({ id, currency, terminalLocation }))).toEqual([
      { level: 'ok', found: 'It can take cards in person in US.' },
      {
        level: 'warning',
        found: 'Stripe pays nothing out of it.',
        action: expect.stringContaining('bank account'),
      },
    ]);
    standIn.changeAccount(id, { chargesEnabled: false });
    const found = value(await stripe.diagnose({ id, currency, terminalLocation }));
    expect(found.map(({ level }) => level)).toEqual(['error', 'warning']);
    expect(found[1]?.found).toBe('Stripe pays nothing out of it: requirements.past_due.');
  });

  it('is each obstacle of an account, with what to do', async () => {
    const { stripe, standIn, account } = setUp({ charges: 'destination' });
    const location = standIn.addLocation(undefined, undefined, 'DE');
    standIn.changeAccount(account.id, {
      chargesEnabled: false,
      cardPayments: 'pending',
      transfers: 'inactive',
    });
    const { id } = account;
    const found = value(await stripe.diagnose({ id, currency: 'kwd', terminalLocation: location }));
    const missing = value(await stripe.diagnose({ id, currency: 'usd' }));
    standIn.removeLocation(location);
    const deleted = value(
      await stripe.diagnose({ id, currency: 'usd', terminalLocation: location }),
    );
    const unknown = value(await stripe.diagnose({ id, currency: 'usd', terminalLocation: 'no' }));
    const gone = value(await stripe.diagnose({ id: 'acct_gone', currency: 'usd' }));
    const all = [...found, ...missing, ...deleted, ...unknown, ...gone];
    expect(all.every(({ level, action }) => level === 'error' && action !== undefined)).toBe(true);
    expect([...new Set(all.map((one) => one.found))]).toMatchInlineSnapshot(`
      [
        "The currency of the business does not have two decimals.",
        "Stripe has disabled its payments: requirements.past_due.",
        "Its capability card_payments is not active.",
        "Its capability transfers, which destination charges need, is not active.",
        "Terminals in its country take only usd.",
        "The account is in US, and its terminal location in DE.",
        "The business has no terminal location, so no phone can connect.",
        "The terminal location of the business was deleted at Stripe.",
        "The account has no such terminal location.",
        "The key has no access to this account, or the account does not exist.",
      ]
    `);
  });

  it('is a rejected key, for accounts and for endpoints', async () => {
    const { another, account } = setUp();
    const stripe = another({ secretKey: 'sk_test_rolled' });
    const { id, currency } = account;
    expect(value(await stripe.diagnose({ id, currency }))).toMatchObject([
      { level: 'error', found: expect.stringContaining('rejects the secret key') },
    ]);
    expect(value(await stripe.diagnose())).toMatchObject([
      { level: 'warning', found: expect.stringContaining('rejects the secret key') },
    ]);
  });

  it('is an endpoint that gets no message, or not all, or in another version', async () => {
    const { stripe, standIn, another } = setUp();
    const found = async () => value(await stripe.diagnose()).map((one) => one.found);
    expect(await found()).toEqual(['No webhook endpoint at Stripe gets messages about payments.']);
    standIn.addWebhookEndpoint({ enabled_events: ['invoice.paid'] });
    expect(await found()).toEqual(['No webhook endpoint at Stripe gets messages about payments.']);
    standIn.addWebhookEndpoint({
      status: 'disabled',
      api_version: '2024-06-20',
      enabled_events: ['payment_intent.succeeded'],
    });
    const [disabled, version, types] = await found();
    expect(disabled).toBe(`${url} is disabled at Stripe.`);
    expect(version).toMatch(/sends messages in 2024-06-20, and 2026-10-28\.\w+ is needed\.$/);
    expect(types).toContain('does not get payment_intent.amount_capturable_updated');
    expect(types).not.toContain('succeeded');
    standIn.addWebhookEndpoint({ api_version: null });
    expect(await found()).toContainEqual(expect.stringContaining("the account's default version"));
    standIn.addWebhookEndpoint();
    expect(await found()).toHaveLength(1);
    expect(value(await another({ webhookSecrets: [] }).diagnose())).toMatchObject([
      { level: 'warning', found: expect.stringContaining('No webhook secret') },
    ]);
  });

  it.each([
    ['direct', null, 'ca_1', 'connected accounts'],
    ['destination', 'ca_1', null, "the platform's own account"],
  ] as const)(
    'is an endpoint that %s charges do not reach',
    async (charges, wrong, right, needed) => {
      const { stripe, standIn } = setUp({ charges });
      const found = async () => value(await stripe.diagnose());
      standIn.addWebhookEndpoint({ application: wrong });
      const shown = expect.stringContaining(`${url} does not seem to listen to ${needed}`);
      expect(await found()).toMatchObject([{ level: 'warning', found: shown }]);
      // Stripe documents no meaning of a missing member.
      standIn.failNext('listWebhookEndpoints', (body) => ({
        data: [body['data']].flat().map((one) => ({ ...Object(one), application: undefined })),
      }));
      expect(await found()).toMatchObject([{ level: 'ok' }]);
      standIn.addWebhookEndpoint({ application: right });
      expect(await found()).toMatchObject([{ level: 'ok' }]);
    },
  );

  it('is not invented while Stripe cannot be reached', async () => {
    const { stripe, standIn, account } = setUp();
    standIn.failNext('listWebhookEndpoints', 'refused');
    standIn.failNext('retrieveAccount', 'refused');
    expect((await stripe.diagnose()).isErr()).toBe(true);
    const { id, currency } = account;
    expect((await stripe.diagnose({ id, currency })).isErr()).toBe(true);
  });
});
