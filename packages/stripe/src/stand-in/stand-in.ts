import type { Clock, RawEvent } from '@chairside/core';
import type Stripe from 'stripe';
import {
  createBooks,
  defaultSwitches,
  type Setup,
  type StandInAccount,
  type StandInEvent,
  type StandInSwitches,
} from './books.ts';
import { type StripeCardName, stripeCards } from './cards.ts';
import { aged } from './endpoints.ts';
import { createScript, type StripeFault } from './faults.ts';
import { createInProcessClient, type Delay } from './http-client.ts';
import { type Charge, type Intent, presented } from './intent.ts';
import type { Route } from './params.ts';
import type { RawRequest } from './request.ts';
import { createServe, type LoggedRequest, type Outcome } from './serve.ts';
import { type StandInServer, startServer } from './server.ts';
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

  function hold(clientSecret: string, name: StripeCardName, from?: Intent): string {
    const { account, item } = intentBy((intent) => intent.client_secret === clientSecret);
    const chargeId = books.nextId('ch');
    const after = presented(from ?? item, stripeCards[name], chargeId, books.now());
    if (after === undefined) throw new Error('the intent takes no card any more');
    const own = books.of(account);
    if (after.charge !== undefined) own.charges.set(chargeId, after.charge);
    own.intents.set(item.id, after.intent);
    books.tell(account, toldOf(after.intent), after.intent);
    return item.id;
  }

  function capturedCharge(intentId: string): { account: string | undefined; charge: Charge } {
    const { account, item } = intentBy(({ id }) => id === intentId);
    const charge = books.of(account).charges.get(item.latest_charge ?? '');
    if (!charge?.captured) throw new Error('only what was captured can be given back');
    return { account, charge };
  }

  function changeSetup(clientSecret: string, change: Partial<Setup>): void {
    const { account, item } = setupBy(clientSecret);
    books.of(account).setups.set(item.id, { ...item, ...change });
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
        country: 'US',
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

    present: (clientSecret, card) => hold(clientSecret, card),
    settle(clientSecret) {
      const { item } = intentBy((intent) => intent.client_secret === clientSecret);
      hold(clientSecret, 'visa_credit', { ...item, status: 'requires_payment_method' });
    },
    completeSetup: (clientSecret) =>
      changeSetup(clientSecret, {
        status: 'succeeded',
        payment_method: books.nextId('pm'),
        latest_attempt: {
          id: books.nextId('setatt'),
          object: 'setup_attempt',
          created: books.now(),
          status: 'succeeded',
        },
      }),
    cancelSetup: (clientSecret) => changeSetup(clientSecret, { status: 'canceled' }),

    refund(intentId, amount) {
      const { account, charge } = capturedCharge(intentId);
      const amount_refunded = charge.amount_refunded + amount;
      if (amount_refunded > charge.amount_captured) throw new Error('that is more than is left');
      const refunded = amount_refunded === charge.amount_captured;
      const after: Charge = { ...charge, amount_refunded, refunded };
      books.of(account).charges.set(charge.id, after);
      const { amount_refunded: before } = charge;
      books.tell(account, 'charge.refunded', after, { amount_refunded: before });
      const refund = { id: books.nextId('re'), object: 'refund', amount, payment_intent: intentId };
      books.tell(account, 'refund.created', { ...refund, charge: charge.id, status: 'succeeded' });
    },
    dispute(intentId, amount) {
      const { account, charge } = capturedCharge(intentId);
      books.of(account).charges.set(charge.id, { ...charge, disputed: true });
      const dispute = { id: books.nextId('dp'), object: 'dispute', amount, charge: charge.id };
      const shown = { ...dispute, payment_intent: intentId, metadata: {}, reason: 'fraudulent' };
      books.tell(account, 'charge.dispute.created', { ...shown, status: 'needs_response' });
      books.tell(account, 'charge.dispute.funds_withdrawn', { ...shown, status: 'needs_response' });
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

function toldOf({ status, last_payment_error }: Intent): StandInEvent['type'] {
  if (status === 'requires_capture') return 'payment_intent.amount_capturable_updated';
  if (status === 'processing') return 'payment_intent.processing';
  if (status === 'canceled') return 'payment_intent.canceled';
  return last_payment_error === null ? 'payment_intent.created' : 'payment_intent.payment_failed';
}
