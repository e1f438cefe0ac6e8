import { AsyncLocalStorage } from 'node:async_hooks';
import { type Clock, type ProcessorAccount, secondMs } from '@chairside/core';
import type { ListRequest, Processor } from '@chairside/core/ports';
import { createStripeProcessor, markNames, stripeEventTypes } from '@chairside/stripe';
import {
  createStripeStandIn,
  longestHoldSeconds,
  type Route,
  type StripeCardName,
  type StripeFault,
  type StripeStandIn,
  type StripeStandInOptions,
  signPayload,
  stripeCards,
} from '@chairside/stripe-stand-in';
import {
  type DrivenCall,
  type DrivenProcessor,
  driveProcessor,
  type SetupBookEntry,
  type WireFault,
} from '@chairside/testkit';
import { createStripeBooks } from './stripe-books.ts';

// Joined here, so that this file contains no secret. Live, because Stripe's test mode has no
// wallets.
const secretKey = ['sk', 'live', 'simulation'].join('_');
const webhookSecret = ['whsec', 'simulation_0123456789abcdef'].join('_');

const foreignKinds = ['refunds', 'disputes', 'intents'] as const;

/** So many requests fit into the deadline of one call, at 40 ms each. */
const requestsInTime = 250;

/** The request to Stripe that has a call's fault. */
const routes: Readonly<Record<DrivenCall, Route>> = {
  openPayment: 'createPaymentIntent',
  authorizeMethod: 'createPaymentIntent',
  readPayment: 'retrievePaymentIntent',
  capturePayment: 'capturePaymentIntent',
  cancelPayment: 'cancelPaymentIntent',
  createConnectionToken: 'createConnectionToken',
  openSetup: 'createSetupIntent',
  cancelSetup: 'cancelSetupIntent',
  refund: 'createRefund',
};

const wireFaults: Readonly<Record<WireFault, StripeFault>> = {
  timeoutBeforeApplying: 'timeoutBeforeApplying',
  timeoutAfterApplying: 'timeoutAfterApplying',
  lostReply: 'resetAfterApplying',
  refused: 'refused',
  rateLimited: 'rateLimited',
  notSetUp: 'notCapable',
  failure: 'failure',
  failureAfterApplying: 'failureAfterApplying',
  rejected: 'rejected',
};

/** The adapter with its stand-in, for specs of what only Stripe has. */
export interface SimulatedStripe extends DrivenProcessor {
  readonly standIn: StripeStandIn;
}

export interface SimulatedStripeOptions {
  readonly faults?: NonNullable<StripeStandInOptions['faults']>;
  readonly charges?: 'direct' | 'destination';
  /** Whether other software uses the accounts too. Default: true. */
  readonly foreign?: boolean;
  /** Whether some cards lack members, as real ones do. Default: false. */
  readonly sparseCards?: boolean;
  /** See the stand-in's switch. */
  readonly disputeBookings?: 'all' | 'firstTwo';
  /** The clock of the node that the adapter runs on, which may be wrong. Default: Stripe's. */
  readonly adapterClock?: Clock | undefined;
  /** Another version of the adapter. */
  readonly create?: typeof createStripeProcessor;
}

/** Stripe's adapter over the stand-in of its API, driven like the fake. */
export function createSimulatedStripe(
  clock: Clock,
  accounts: readonly ProcessorAccount[],
  options: SimulatedStripeOptions = {},
): SimulatedStripe {
  const { faults = () => undefined, charges = 'direct' } = options;
  const standIn = createStripeStandIn({
    clock,
    secretKey,
    webhookSecret,
    switches: {
      sparseCards: options.sparseCards ?? false,
      disputeBookings: options.disputeBookings ?? 'all',
    },
    faults: (request) => overtime() ?? faults(request),
    // Before the request for changes that time has made due, and before the reply for its own
    // effect.
    delay: async () => books.note(),
  });
  const books = createStripeBooks(standIn, clock);
  for (const { id, currency, terminalLocation } of accounts) {
    standIn.addAccount({ id, currency });
    if (terminalLocation === undefined) continue;
    standIn.addLocation(charges === 'direct' ? id : undefined, terminalLocation);
  }
  const { create = createStripeProcessor } = options;
  const made = create({
    secretKey,
    allowLiveKey: true,
    charges,
    clock: options.adapterClock ?? clock,
    webhookSecrets: [webhookSecret],
    httpClient: standIn.httpClient,
    // The same as the fake's, because leases depend on it.
    deadlineMs: 10 * secondMs,
  });
  if (made.isErr()) throw new Error(made.error.kind);
  const stripe = made.value;

  let sent = 0;
  let foreign = 0;

  /** Other software uses each account too, with every call a little, and at times very much. */
  function addForeign(): void {
    foreign += 1;
    const isMuch = foreign % 40 === 2;
    // Each kind comes to each account.
    const drawn = isMuch ? Math.floor(foreign / 40) : foreign;
    const { id } = accounts[drawn % accounts.length] ?? {};
    const owner = charges === 'direct' ? id : undefined;
    const count = isMuch ? 450 : 1;
    const kind = foreignKinds[Math.floor(drawn / accounts.length) % foreignKinds.length];
    if (kind === 'intents') standIn.addForeign(owner, { intents: count });
    if (kind === 'disputes') standIn.addForeign(owner, { disputes: count });
    if (kind === 'refunds') {
      standIn.addForeign(owner, { intents: 1, refunds: count });
      // It shows no intent, so its owner is not known.
      standIn.addForeign(owner, { refunds: 1, refund: { payment_intent: 'pi_unknown' } });
    }
  }

  const listing = new AsyncLocalStorage<{ requests: number }>();

  /** A list of the books takes time: its call is over after so many requests. */
  function timed<T>(list: (request: ListRequest) => T): (request: ListRequest) => T {
    return (request) => listing.run({ requests: 0 }, () => list(request));
  }

  function overtime(): StripeFault | undefined {
    const call = listing.getStore();
    if (call === undefined) return undefined;
    call.requests += 1;
    return call.requests > requestsInTime ? 'timeoutBeforeApplying' : undefined;
  }

  /** Other software acts before each of these calls. */
  function amidForeign<R, T>(ask: (request: R) => T): (request: R) => T {
    return (request) => {
      if (options.foreign ?? true) addForeign();
      return ask(request);
    };
  }

  /** Acts at the processor, and records the time. */
  function noted<T>(done: T): T {
    books.note();
    return done;
  }

  const adapter: Processor = {
    ...stripe,
    openPayment: amidForeign(stripe.openPayment),
    readPayment: (payment, claimed) =>
      amidForeign(() => stripe.readPayment(payment, claimed))(payment),
    capturePayment: amidForeign(stripe.capturePayment),
    cancelPayment: amidForeign(stripe.cancelPayment),
    createConnectionToken: amidForeign(stripe.createConnectionToken),
    charges: { authorize: amidForeign(stripe.charges.authorize) },
    openSetup: amidForeign(stripe.openSetup),
    cancelSetup: amidForeign(stripe.cancelSetup),
    listPayments: timed(stripe.listPayments),
    refunds: { ...stripe.refunds, listRecent: timed(stripe.refunds.listRecent) },
    disputes: { ...stripe.disputes, listRecent: timed(stripe.disputes.listRecent) },
  };

  const disputeOf = (reference: string, dispute: string) => {
    const entry = books.entries().find(({ id }) => id === reference);
    return entry?.disputes?.find(({ id }) => id === dispute);
  };

  const driven = driveProcessor(adapter, {
    longestHoldMs: longestHoldSeconds * secondMs,
    entries: books.entries,
    setups: () => standIn.setups().map(setupEntryOf),
    completeSetup: (clientSecret, card) => noted(enterCard(standIn, clientSecret, card)),
    presentCard: (clientSecret, card) => noted(standIn.present(clientSecret, cardOf(card))),
    refund: (reference, amountMinor) => noted(standIn.refund(reference, Number(amountMinor))),
    dispute: (reference, amountMinor) => noted(standIn.dispute(reference, Number(amountMinor))),
    endRefund: (_, refund, state) => noted(standIn.endRefund(refund, state)),
    inquire: (reference, amountMinor) =>
      noted(standIn.dispute(reference, Number(amountMinor), true)),
    closeDispute(reference, dispute, state) {
      const { isInquiry = false } = disputeOf(reference, dispute) ?? {};
      if (isInquiry && state === 'lost') throw new Error('an inquiry cannot be lost');
      noted(standIn.moveDispute(dispute, isInquiry ? 'warning_closed' : state));
    },
    reopenDispute(reference, dispute) {
      const { isInquiry = false } = disputeOf(reference, dispute) ?? {};
      const status = isInquiry ? 'warning_needs_response' : 'appeal_needs_response';
      noted(standIn.moveDispute(dispute, status));
    },
    withholdDispute: (_, dispute) => noted(standIn.moveDispute(dispute, 'needs_response')),
    takeEvents() {
      books.note();
      const fresh = standIn.events.slice(sent).filter(({ type }) => isSubscribed(type));
      sent = standIn.events.length;
      return fresh.map((event) => standIn.signed(event));
    },
    signEvent: (payload) => signPayload(payload, webhookSecret, clock.now()),
    fault(call, fault) {
      standIn.failNext(routes[call], wireFaults[fault], 1);
      return true;
    },
    enableAccount: (account, isEnabled) => standIn.changeAccount(account, { revoked: !isEnabled }),
    rejectLocation: standIn.removeLocation,
  });
  return { ...driven, standIn };
}

const subscribed: readonly string[] = stripeEventTypes;
const isSubscribed = (type: string) => subscribed.includes(type);

/** The stand-in has no name for the fake's `other` network. */
function cardOf(name: string): StripeCardName {
  if (name === 'other_network') return 'unionpay';
  if (!isCardName(name)) throw new Error(`the stand-in has no card ${name}`);
  return name;
}

function isCardName(name: string): name is StripeCardName {
  return Object.hasOwn(stripeCards, name);
}

type Setup = ReturnType<StripeStandIn['setups']>[number];

/** The final states of the stand-in; all others are open. */
const statuses: Readonly<Record<string, SetupBookEntry['status']>> = {
  succeeded: 'completed',
  canceled: 'canceled',
};

/** A setup of the stand-in in the port's terms. Its customer is known only as a hash. */
export function setupEntryOf({ id, metadata, status, client_secret, customer }: Setup) {
  return {
    id,
    setupId: metadata?.[markNames.setup] ?? '',
    installation: metadata?.[markNames.installation] ?? '',
    status: statuses[status] ?? 'open',
    clientSecret: client_secret ?? '',
    savePaymentMethod: customer !== null,
  } satisfies SetupBookEntry;
}

/** Enters a card as a customer does in the app: the setup is completed, canceled, or stays open. */
export function enterCard(standIn: StripeStandIn, clientSecret: string, card: string) {
  const setup = standIn.setups().find(({ client_secret }) => client_secret === clientSecret);
  if (setup?.status !== 'requires_payment_method') throw new Error('the setup takes no card');
  if (card === 'declined' || card === 'declined_then_approved') return 'declined';
  if (card === 'canceled') standIn.cancelSetup(clientSecret);
  else standIn.completeSetup(clientSecret, isCardName(card) ? card : 'visa_credit');
  return card === 'canceled' ? 'canceled' : 'completed';
}
