import { countryOf, type StandInAccount } from './account.ts';
import { createBooks, defaultSwitches } from './books.ts';
import { stripeCards } from './cards.ts';
import type { Charge } from './charge.ts';
import { aged } from './endpoints/intents.ts';
import { createScript } from './faults.ts';
import { addForeign } from './foreign.ts';
import { endRefund, giveBack } from './give-back.ts';
import { hold } from './hold.ts';
import { createInProcessClient } from './http-client.ts';
import type { Intent } from './intent.ts';
import type { StripeStandIn, StripeStandInOptions } from './interface.ts';
import { disputeOf } from './refund.ts';
import { createServe, type LoggedRequest } from './serve.ts';
import { startServer } from './server.ts';
import { completed, type Setup } from './setup.ts';
import { signPayload } from './sign.ts';

export function createStripeStandIn(options: StripeStandInOptions): StripeStandIn {
  const { clock, secretKey, webhookSecret } = options;
  const switches = { ...defaultSwitches, ...options.switches };
  const books = createBooks(clock, secretKey.includes('_live_'), switches);
  const script = createScript();
  const log: LoggedRequest[] = [];
  const serve = createServe({ books, clock, secretKey, script, faults: options.faults, log });

  const owners = () => [undefined, ...books.accounts.keys()];

  /** Finds an object by its id in any account. */
  function locate<T>(find: (account: string | undefined) => T | undefined, what: string) {
    for (const account of owners()) {
      const item = find(account);
      if (item !== undefined) return { account, item };
    }
    throw new Error(`the stand-in has no such ${what}`);
  }

  const intentBy = (test: (intent: Intent) => boolean) =>
    locate((account) => [...books.of(account).intents.values()].find(test), 'intent');
  const setupBy = (clientSecret: string) =>
    locate(
      (account) =>
        [...books.of(account).setups.values()].find((s) => s.client_secret === clientSecret),
      'setup',
    );

  const bySecret = (clientSecret: string) =>
    intentBy((intent) => intent.client_secret === clientSecret);

  function capturedCharge(intentId: string): { account: string | undefined; charge: Charge } {
    const { account, item } = intentBy(({ id }) => id === intentId);
    const charge = books.of(account).charges.get(item.latest_charge ?? '');
    if (!charge?.captured) throw new Error('only a captured amount can be refunded');
    return { account, charge };
  }

  function changeSetup(clientSecret: string, change: (setup: Setup) => Setup): void {
    const { account, item } = setupBy(clientSecret);
    books.of(account).setups.set(item.id, change(item));
  }

  return {
    httpClient: createInProcessClient(serve, options.delay),
    listen: () => startServer(serve),
    serve,

    addAccount(more) {
      const account: StandInAccount = {
        id: books.nextId('acct').replace('acct_', 'acct_x'),
        chargesEnabled: true,
        cardPayments: 'active',
        transfers: 'active',
        revoked: false,
        currency: 'usd',
        country: countryOf(more?.currency ?? 'usd'),
        ...more,
      };
      books.accounts.set(account.id, account);
      return account;
    },
    changeAccount(id, change) {
      const account = books.accounts.get(id);
      if (account !== undefined) books.accounts.set(id, { ...account, ...change });
    },
    addLocation(account, id = books.nextId('tml'), country) {
      const own = books.accounts.get(account ?? '')?.country ?? 'US';
      books.of(account).locations.set(id, { id, country: country ?? own, deleted: false });
      return id;
    },
    removeLocation(id) {
      for (const account of owners()) {
        const { locations } = books.of(account);
        const location = locations.get(id);
        if (location !== undefined) locations.set(id, { ...location, deleted: true });
      }
    },

    present(clientSecret, card) {
      const { account, item } = bySecret(clientSecret);
      hold(books, account, item.id, stripeCards[card]);
      return item.id;
    },
    settle(clientSecret) {
      const { account, item } = bySecret(clientSecret);
      const waiting: Intent = { ...item, status: 'requires_payment_method' };
      hold(books, account, item.id, stripeCards.visa_credit, waiting);
    },
    touch(intentId) {
      const { account, item } = intentBy(({ id }) => id === intentId);
      books.of(account).intents.set(item.id, { ...item, last_payment_error: null });
    },
    completeSetup: (clientSecret) =>
      changeSetup(clientSecret, (setup) => {
        const ids = { attempt: books.nextId('setatt'), paymentMethod: books.nextId('pm') };
        return completed(setup, ids, books.now());
      }),
    cancelSetup: (clientSecret) =>
      changeSetup(clientSecret, (setup) => ({ ...setup, status: 'canceled' })),

    refund(intentId, amount) {
      const { account, charge } = capturedCharge(intentId);
      if (charge.amount_refunded + amount > charge.amount_captured) {
        throw new Error('the amount exceeds the rest');
      }
      giveBack(books, account, charge, amount);
    },
    endRefund(refundId, status) {
      const { account, item } = locate((owner) => books.of(owner).refunds.get(refundId), 'refund');
      endRefund(books, account, item, status);
    },
    closeDispute(disputeId, status) {
      const { account, item } = locate(
        (owner) => books.of(owner).disputes.get(disputeId),
        'dispute',
      );
      const closed = { ...item, status };
      books.of(account).disputes.set(item.id, closed);
      books.tell(account, 'charge.dispute.closed', closed);
    },
    dispute(intentId, amount) {
      const { account, charge } = capturedCharge(intentId);
      const own = books.of(account);
      own.charges.set(charge.id, { ...charge, disputed: true });
      const dispute = disputeOf(charge, { id: books.nextId('dp'), amount, at: books.now() });
      own.disputes.set(dispute.id, dispute);
      books.tell(account, 'charge.dispute.created', dispute);
      books.tell(account, 'charge.dispute.funds_withdrawn', dispute);
    },

    addForeign: (account, objects) => addForeign(books, account, objects),

    failNext: script.failNext,
    requests: log,
    intents: (keep = () => true) =>
      owners()
        .flatMap((account) =>
          [...books.of(account).intents.values()]
            .filter(keep)
            .map((intent) => aged(books, account, intent)),
        )
        .sort((a, b) => (a.id < b.id ? -1 : 1)),
    setups: () => owners().flatMap((account) => [...books.of(account).setups.values()]),
    events: books.events,
    signed: (event) => signPayload(JSON.stringify(event), webhookSecret, clock.now()),
  };
}
