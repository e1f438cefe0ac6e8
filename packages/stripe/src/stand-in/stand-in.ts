import type { Clock, RawEvent } from '@chairside/core';
import type Stripe from 'stripe';
import { countryOf, type StandInAccount } from './account.ts';
import { createBooks, defaultSwitches, type StandInSwitches } from './books.ts';
import { type StripeCardName, stripeCards } from './cards.ts';
import type { Charge } from './charge.ts';
import { aged } from './endpoints/intents.ts';
import type { StandInEvent } from './event.ts';
import { createScript, type StripeFault } from './faults.ts';
import { giveBack } from './give-back.ts';
import { hold } from './hold.ts';
import { createInProcessClient, type Delay } from './http-client.ts';
import type { Intent } from './intent.ts';
import type { Route } from './params.ts';
import { disputeOf } from './refund.ts';
import type { RawRequest } from './request.ts';
import { createServe, type LoggedRequest, type Outcome } from './serve.ts';
import { type StandInServer, startServer } from './server.ts';
import { completed, type Setup } from './setup.ts';
import { signPayload } from './sign.ts';

export interface StripeStandInOptions {
  /** The only source of time. */
  readonly clock: Clock;
  /** The key that requests must carry. A live one makes a live account. */
  readonly secretKey: string;
  /** With which messages are signed. */
  readonly webhookSecret: string;
  /** What Stripe publishes neither way; see {@link StandInSwitches}. */
  readonly switches?: Partial<StandInSwitches>;
  /** Which fault a request meets, for simulators. What `failNext` scripted comes first. */
  readonly faults?: (request: LoggedRequest) => StripeFault | undefined;
  /** For simulators, on the in-process way. */
  readonly delay?: Delay;
}

/**
 * A stateful stand-in of the part of Stripe's API that card-present payments need. It refuses what
 * it does not know, so that a wrong call fails; what it knows is checked against the SDK's types.
 */
export interface StripeStandIn {
  /** For `httpClient` of the SDK: no socket, no time. */
  readonly httpClient: Stripe.HttpClient;
  /** Listens on a free port of this machine. */
  listen(): Promise<StandInServer>;
  /** Deals with one request, for other ways to get here. */
  readonly serve: (request: RawRequest) => Outcome;

  /** A connected account that takes card payments, but for what is said otherwise. */
  addAccount(more?: Partial<StandInAccount>): StandInAccount;
  changeAccount(id: string, change: Partial<StandInAccount>): void;
  /**
   * A place where terminals stand, in an account or, with none, in the platform's own. Its country
   * is the account's unless given.
   */
  addLocation(account?: string, id?: string, country?: string): string;
  /** Deletes it: Stripe returns it as deleted, and makes no token for it any more. */
  removeLocation(id: string): void;

  /** Holds a card to a reader that collects the intent of a client secret. Answers its id. */
  present(clientSecret: string, card: StripeCardName): string;
  /** Ends the processing of a slow card with an approval. */
  settle(clientSecret: string): void;
  /** Somebody changes an intent in the Dashboard, which clears what its last card was declined for. */
  touch(intentId: string): void;
  /** What a customer does in the app with a setup's client secret. */
  completeSetup(clientSecret: string): void;
  cancelSetup(clientSecret: string): void;
  /** Refunds a captured intent, as an operator does in the Dashboard. */
  refund(intentId: string, amount: number): void;
  /** The cardholder disputes a captured intent. */
  dispute(intentId: string, amount: number): void;

  failNext(route: Route, fault: StripeFault, times?: number): void;
  readonly requests: readonly LoggedRequest[];
  /** Every intent as it is now, in the order in which they were made. */
  intents(): readonly Intent[];
  setups(): readonly Setup[];
  /** Every message that Stripe would have sent. */
  readonly events: readonly StandInEvent[];
  /** A message as it arrives, signed now. */
  signed(event: StandInEvent): RawEvent;
}

export function createStripeStandIn(options: StripeStandInOptions): StripeStandIn {
  const { clock, secretKey, webhookSecret } = options;
  const switches = { ...defaultSwitches, ...options.switches };
  const books = createBooks(clock, secretKey.includes('_live_'), switches);
  const script = createScript();
  const log: LoggedRequest[] = [];
  const serve = createServe({ books, clock, secretKey, script, faults: options.faults, log });

  const owners = () => [undefined, ...books.accounts.keys()];

  /** Finds what a test speaks of, whichever account it lives in. */
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
    if (!charge?.captured) throw new Error('only what was captured can be given back');
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
        throw new Error('that is more than is left');
      }
      giveBack(books, account, charge, amount);
    },
    dispute(intentId, amount) {
      const { account, charge } = capturedCharge(intentId);
      books.of(account).charges.set(charge.id, { ...charge, disputed: true });
      const dispute = disputeOf(charge, { id: books.nextId('dp'), amount, at: books.now() });
      books.tell(account, 'charge.dispute.created', dispute);
      books.tell(account, 'charge.dispute.funds_withdrawn', dispute);
    },

    failNext: script.failNext,
    requests: log,
    intents: () =>
      owners()
        .flatMap((account) =>
          [...books.of(account).intents.values()].map((intent) => aged(books, account, intent)),
        )
        .sort((a, b) => (a.id < b.id ? -1 : 1)),
    setups: () => owners().flatMap((account) => [...books.of(account).setups.values()]),
    events: books.events,
    signed: (event) => signPayload(JSON.stringify(event), webhookSecret, clock.now()),
  };
}
