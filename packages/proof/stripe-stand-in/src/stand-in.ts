import type Stripe from 'stripe';
import { type StandInAccount, terminalCountries } from './account.ts';
import { apiVersion, type Books, createPlatform, defaultSwitches } from './books.ts';
import { stripeCards } from './cards.ts';
import type { Charge } from './charge.ts';
import { deleteCustomer } from './endpoints/customers.ts';
import { aged, approve, hold } from './endpoints/intents.ts';
import { dispute, endRefund, giveBack, moveDispute } from './endpoints/refunds.ts';
import { complete } from './endpoints/setups.ts';
import { signPayload } from './event.ts';
import { createScript } from './faults.ts';
import { addForeign } from './foreign.ts';
import { createInProcessClient } from './http-client.ts';
import type { Intent } from './intent.ts';
import type { StripeStandIn, StripeStandInOptions } from './interface.ts';
import { failPayout, payOut, payOutByHand, reversePayout } from './payout.ts';
import { warningOf } from './refund.ts';
import { createServe, type LoggedRequest } from './serve.ts';
import { startServer } from './server.ts';
import type { Setup } from './setup.ts';

export function createStripeStandIn(options: StripeStandInOptions): StripeStandIn {
  const { clock, secretKey, webhookSecret } = options;
  const switches = { ...defaultSwitches, ...options.switches };
  const platform = createPlatform(clock, secretKey.includes('_live_'), switches);
  const script = createScript();
  const log: LoggedRequest[] = [];
  const { serve, finish } = createServe({
    platform,
    clock,
    secretKey,
    script,
    faults: options.faults,
    log,
  });

  /** The books of the platform and of every account. */
  const everyone = () => [undefined, ...platform.accounts.keys()].map(platform.of);

  /** Finds an object in the books of any account. */
  function locate<T>(
    objects: (own: Books) => ReadonlyMap<string, T>,
    test: (object: T) => boolean,
  ): { readonly own: Books; readonly found: T } {
    for (const own of everyone()) {
      const found = [...objects(own).values()].find(test);
      if (found !== undefined) return { own, found };
    }
    throw new Error('the stand-in has no such object');
  }

  const intentBy = (test: (intent: Intent) => boolean) => locate(({ intents }) => intents, test);
  const bySecret = (clientSecret: string) =>
    intentBy(({ client_secret }) => client_secret === clientSecret);

  function capturedCharge(intentId: string): { readonly own: Books; readonly charge: Charge } {
    const { own, found } = intentBy(({ id }) => id === intentId);
    const charge = own.charges.get(found.latest_charge ?? '');
    if (!charge?.captured) throw new Error('only a captured amount can be refunded');
    return { own, charge };
  }

  const setupBy = (clientSecret: string) => {
    const isIt = ({ client_secret }: Setup) => client_secret === clientSecret;
    return locate(({ setups }) => setups, isIt);
  };

  const payoutBy = (payoutId: string) =>
    locate(
      ({ payouts }) => payouts,
      ({ payout }) => payout.id === payoutId,
    );

  return {
    httpClient: createInProcessClient(serve, options.delay),
    listen: () => startServer(serve),
    serve,

    addAccount(more) {
      const account: StandInAccount = {
        id: platform.nextId('acct').replace('acct_', 'acct_x'),
        chargesEnabled: true,
        payoutsEnabled: true,
        cardPayments: 'active',
        transfers: 'active',
        revoked: false,
        currency: 'usd',
        country: terminalCountries[more?.currency ?? 'usd']?.[0] ?? 'US',
        ...more,
      };
      platform.accounts.set(account.id, account);
      return account;
    },
    changeAccount(id, change) {
      const account = platform.accounts.get(id);
      if (account !== undefined) platform.accounts.set(id, { ...account, ...change });
    },
    addLocation(account, id = platform.nextId('tml'), country) {
      const own = platform.accounts.get(account ?? '')?.country ?? 'US';
      const location = { id, country: country ?? own, deleted: false };
      platform.of(account).locations.set(id, location);
      return id;
    },
    addWebhookEndpoint(more) {
      const id = platform.nextId('we');
      platform.of(undefined).webhookEndpoints.set(id, {
        id,
        object: 'webhook_endpoint',
        api_version: apiVersion,
        application: 'ca_1',
        created: platform.now(),
        description: null,
        enabled_events: ['*'],
        livemode: platform.livemode,
        metadata: {},
        status: 'enabled',
        url: 'https://shop.example/payments/processor/events',
        ...more,
      });
    },
    removeLocation(id) {
      for (const { locations } of everyone()) {
        const location = locations.get(id);
        if (location !== undefined) locations.set(id, { ...location, deleted: true });
      }
    },

    present(clientSecret, card) {
      const { own, found } = bySecret(clientSecret);
      hold(own, found.id, stripeCards[card]);
      return found.id;
    },
    settle(clientSecret) {
      const { own, found } = bySecret(clientSecret);
      approve(own, found, stripeCards.visa_credit);
    },
    touch(intentId) {
      const { own, found } = intentBy(({ id }) => id === intentId);
      own.intents.set(found.id, { ...found, last_payment_error: null });
    },
    completeSetup(clientSecret, name = 'visa_credit') {
      const { own, found } = setupBy(clientSecret);
      if (found.status === 'canceled') throw new Error('the setup was canceled');
      complete(own, found, name);
    },
    cancelSetup(clientSecret) {
      const { own, found } = setupBy(clientSecret);
      own.setups.set(found.id, { ...found, status: 'canceled' });
    },
    deleteCustomer: (id) => deleteCustomer(platform.of(undefined), id),

    refund(intentId, amount, isBooked = true) {
      const { own, charge } = capturedCharge(intentId);
      if (charge.amount_refunded + amount > charge.amount) {
        throw new Error('the amount exceeds the rest');
      }
      giveBack(own, charge, amount, {}, isBooked);
    },
    endRefund(refundId, status) {
      const isIt = ({ id }: Stripe.Refund) => id === refundId;
      const { own, found } = locate(({ refunds }) => refunds, isIt);
      if (found.status === 'failed' || found.status === 'canceled') {
        throw new Error('the refund has failed or was canceled');
      }
      endRefund(own, found, status);
    },
    moveDispute(disputeId, status) {
      const isIt = ({ id }: Stripe.Dispute) => id === disputeId;
      const { own, found } = locate(({ disputes }) => disputes, isIt);
      moveDispute(own, found, status);
    },
    dispute(intentId, amount, isInquiry = false) {
      const { own, charge } = capturedCharge(intentId);
      dispute(own, charge, amount, isInquiry);
    },

    warnOfFraud(intentId) {
      const { own, charge } = capturedCharge(intentId);
      own.tell('radar.early_fraud_warning.created', warningOf(own, charge));
    },

    payOut: (account) => payOut(platform.of(account)),
    payOutByHand: (account, amount, currency) =>
      payOutByHand(platform.of(account), amount, currency),
    failPayout(payoutId) {
      const { own, found } = payoutBy(payoutId);
      failPayout(own, found);
    },
    reversePayout(payoutId) {
      const { own, found } = payoutBy(payoutId);
      return reversePayout(own, found);
    },
    entries: (account) => [...platform.of(account).entries.values()],

    addForeign: (account, objects) => addForeign(platform.of(account), objects),

    failNext: script.failNext,
    finish,
    requests: log,
    intents: (keep = () => true) =>
      everyone()
        .flatMap((own) => [...own.intents.values()].filter(keep).map((intent) => aged(own, intent)))
        .sort((a, b) => (a.id < b.id ? -1 : 1)),
    setups: () => everyone().flatMap(({ setups }) => [...setups.values()]),
    events: platform.events,
    signed: (event) => signPayload(JSON.stringify(event), webhookSecret, clock.now()),
  };
}
