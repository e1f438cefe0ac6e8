import type { Clock, RawEvent } from '@chairside/core';
import type Stripe from 'stripe';
import { countryOf, type StandInAccount } from './account.ts';
import { createBooks, defaultSwitches, type StandInSwitches } from './books.ts';
import { type StripeCardName, stripeCards } from './cards.ts';
import type { Charge } from './charge.ts';
import { aged } from './endpoints/intents.ts';
import type { StandInEvent } from './event.ts';
import { createScript, type StripeFault } from './faults.ts';
import { endRefund, giveBack } from './give-back.ts';
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
  /** The key that requests must carry. A live key makes a live account. */
  readonly secretKey: string;
  /** Signs the messages. */
  readonly webhookSecret: string;
  /** Behaviour that Stripe does not document; see {@link StandInSwitches}. */
  readonly switches?: Partial<StandInSwitches>;
  /** Chooses a request's fault, for simulators. Faults of `failNext` come first. */
  readonly faults?: (request: LoggedRequest) => StripeFault | undefined;
  /** For simulators that use the in-process client. */
  readonly delay?: Delay;
}

/**
 * A stateful stand-in of the part of Stripe's API that card-present payments need. It rejects
 * unknown calls, so that a wrong call fails. The known ones are checked against the SDK's types.
 */
export interface StripeStandIn {
  /** For `httpClient` of the SDK: no socket, no delay. */
  readonly httpClient: Stripe.HttpClient;
  /** Listens on a free port of this machine. */
  listen(): Promise<StandInServer>;
  /** Handles one request, for other transports. */
  readonly serve: (request: RawRequest) => Outcome;

  /** Adds a connected account that takes card payments, with the given differences. */
  addAccount(more?: Partial<StandInAccount>): StandInAccount;
  changeAccount(id: string, change: Partial<StandInAccount>): void;
  /**
   * Adds a location of terminals, to an account or, without one, to the platform. Its country is
   * the account's by default.
   */
  addLocation(account?: string, id?: string, country?: string): string;
  /** Deletes it: Stripe returns it as deleted, and makes no more tokens for it. */
  removeLocation(id: string): void;

  /**
   * Presents a card to a reader that collects the intent of a client secret. Returns the intent's
   * id.
   */
  present(clientSecret: string, card: StripeCardName): string;
  /** Ends the processing of a slow card with an approval. */
  settle(clientSecret: string): void;
  /** Changes an intent in the Dashboard, which clears the last card's error. */
  touch(intentId: string): void;
  /** Completes a setup, as a customer does in the app with its client secret. */
  completeSetup(clientSecret: string): void;
  cancelSetup(clientSecret: string): void;
  /** Refunds a captured intent, as an operator does in the Dashboard. */
  refund(intentId: string, amount: number): void;
  /** Disputes a captured intent, as a cardholder does. */
  dispute(intentId: string, amount: number): void;
  /** Ends a refund otherwise than it began, as the card's bank does. */
  endRefund(refundId: string, status: 'pending' | 'failed' | 'canceled' | 'succeeded'): void;
  /** Closes a dispute, as the card's network does. */
  closeDispute(disputeId: string, status: 'won' | 'lost'): void;

  failNext(route: Route, fault: StripeFault, times?: number): void;
  readonly requests: readonly LoggedRequest[];
  /** Every intent in its current state, in order of creation. */
  intents(): readonly Intent[];
  setups(): readonly Setup[];
  /** Every message that Stripe would have sent. */
  readonly events: readonly StandInEvent[];
  /** Signs a message with the current time. */
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
      const opened = books.events.find(
        ({ type, data }) => type === 'charge.dispute.created' && data.object.id === disputeId,
      );
      if (opened?.data.object.object !== 'dispute') throw new Error('no such dispute');
      books.tell(opened.account, 'charge.dispute.closed', { ...opened.data.object, status });
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
