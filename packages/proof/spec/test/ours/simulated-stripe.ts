import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Clock,
  err,
  type ListRequest,
  ok,
  type ProcessorAccount,
  type ProcessorError,
  Result,
  ResultAsync,
  secondMs,
} from '@chairside/core';
import type { FaultKind } from '@chairside/fake-processor';
import { createStripeProcessor, stripeEventTypes } from '@chairside/stripe';
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
import type { DrivenCall, DrivenProcessor } from '../../src/processors/driven-processor.ts';
import { createStripeLedger } from './stripe-ledger.ts';
import { enterCard, setupEntryOf } from './stripe-setups.ts';

// Joined here, so that this file contains no secret. Live, because Stripe's test mode has no
// wallets.
const secretKey = ['sk', 'live', 'simulation'].join('_');
const webhookSecret = ['whsec', 'simulation'].join('_');

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

/** The event for each call that has changed something. */
const changes: Readonly<Partial<Record<DrivenCall, string>>> = {
  openPayment: 'payment_intent.created',
  capturePayment: 'payment_intent.succeeded',
  cancelPayment: 'payment_intent.canceled',
  refund: 'refund.created',
};

/** The fake's faults as those of the stand-in; the other faults delay the whole call. */
const wireFaults: Readonly<Partial<Record<FaultKind, StripeFault>>> = {
  timeoutBeforeApplying: 'timeoutBeforeApplying',
  timeoutAfterApplying: 'timeoutAfterApplying',
  lostReply: 'resetAfterApplying',
  refused: 'refused',
  rateLimited: 'rateLimited',
  notSetUp: 'noAccess',
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
    faults: (request) => overtime() ?? faults(request),
    // Before the request for changes that time has made due, and before the reply for its own
    // effect.
    delay: async () => ledger.note(),
  });
  const ledger = createStripeLedger(standIn, clock);
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
    clock,
    webhookSecrets: [webhookSecret],
    httpClient: standIn.httpClient,
    // The same as the fake's, because leases depend on it.
    deadlineMs: 10 * secondMs,
  });
  if (made.isErr()) throw new Error(made.error.kind);
  const stripe = made.value;

  const counts = new Map<DrivenCall, number>();
  const delays = new Map<DrivenCall, FaultKind[]>();
  const held: (() => void)[] = [];
  const abandoned: (() => Promise<boolean>)[] = [];
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

  /** A list of a ledger takes time: its call is over after so many requests. */
  function timed<T>(list: (request: ListRequest) => T): (request: ListRequest) => T {
    return (request) => listing.run({ requests: 0 }, () => list(request));
  }

  function overtime(): StripeFault | undefined {
    const call = listing.getStore();
    if (call === undefined) return undefined;
    call.requests += 1;
    return call.requests > requestsInTime ? 'timeoutBeforeApplying' : undefined;
  }

  const released = () => new Promise<void>((resolve) => held.push(resolve));

  /** Makes a call, delays it before the request or the reply, or gives it up. */
  function call<T>(name: DrivenCall, ask: () => ResultAsync<T, ProcessorError>) {
    counts.set(name, (counts.get(name) ?? 0) + 1);
    if (options.foreign ?? true) addForeign();
    return new ResultAsync(delayed(delays.get(name)?.shift(), ask));
  }

  async function delayed<T>(
    by: FaultKind | undefined,
    ask: () => ResultAsync<T, ProcessorError>,
  ): Promise<Result<T, ProcessorError>> {
    if (by === 'landsLater') {
      abandoned.push(async () => (await ask()).isOk());
      return err(unanswered);
    }
    if (by === 'slow') await released();
    const answer = await ask();
    if (by === 'slowReply') await released();
    return answer;
  }

  /** Runs an action that throws if it is impossible, and records its time. */
  function attempt<T>(act: () => T): Result<T, string> {
    return Result.fromThrowable(act, String)().andTee(ledger.note);
  }

  return {
    ...stripe,
    openPayment: (request) => call('openPayment', () => stripe.openPayment(request)),
    readPayment: (payment, claimed) =>
      call('readPayment', () => stripe.readPayment(payment, claimed)),
    capturePayment: (request) => call('capturePayment', () => stripe.capturePayment(request)),
    cancelPayment: (request) => call('cancelPayment', () => stripe.cancelPayment(request)),
    createConnectionToken: (request) =>
      call('createConnectionToken', () => stripe.createConnectionToken(request)),

    charges: {
      authorize: (request) => call('authorizeMethod', () => stripe.charges.authorize(request)),
    },
    openSetup: (request) => call('openSetup', () => stripe.openSetup(request)),
    cancelSetup: (request) => call('cancelSetup', () => stripe.cancelSetup(request)),
    listPayments: timed(stripe.listPayments),
    refunds: { ...stripe.refunds, listRecent: timed(stripe.refunds.listRecent) },
    disputes: { ...stripe.disputes, listRecent: timed(stripe.disputes.listRecent) },

    standIn,
    longestHoldMs: longestHoldSeconds * secondMs,
    entries: ledger.entries,
    setups: () => standIn.setups().map(setupEntryOf),
    completeSetup: (clientSecret, card = 'visa_credit') =>
      attempt(() => enterCard(standIn, clientSecret, card)).map((status) => ({ status })),
    ledgerEntry: (reference) => ledger.entries().find(({ id }) => id === reference),
    presentCard: (clientSecret, card) =>
      attempt(() => standIn.present(clientSecret, cardOf(card))).map((id) => ({
        externalPaymentReference: { id },
      })),
    refund: (reference, amountMinor) =>
      attempt(() => standIn.refund(reference, Number(amountMinor))),
    dispute: (reference, amountMinor) =>
      attempt(() => standIn.dispute(reference, Number(amountMinor))),
    endRefund: (_, refund, state) => attempt(() => standIn.endRefund(refund, state)),
    closeDispute: (_, dispute, state) => attempt(() => standIn.closeDispute(dispute, state)),

    takeEvents(limit = Number.POSITIVE_INFINITY) {
      ledger.note();
      const fresh = standIn.events.slice(sent).filter(({ type }) => isSubscribed(type));
      const taken = fresh.slice(0, limit);
      const last = fresh[limit - 1];
      sent = last === undefined ? standIn.events.length : standIn.events.indexOf(last) + 1;
      return ok(taken.map((event) => standIn.signed(event)));
    },
    signEvent: (payload) => signPayload(payload, webhookSecret, clock.now()),

    failNext(name, fault, times = 1) {
      const wire = wireFaults[fault];
      if (wire !== undefined) return standIn.failNext(routes[name], wire, times);
      const more = Array.from({ length: times }, () => fault);
      delays.set(name, [...(delays.get(name) ?? []), ...more]);
    },
    release() {
      const waiting = held.splice(0);
      for (const goOn of waiting) goOn();
      return waiting.length;
    },
    async landAbandoned() {
      const waiting = abandoned.splice(0);
      await Promise.all(waiting.map((ask) => ask()));
      return waiting.length;
    },
    count: (name) => ({
      made: counts.get(name) ?? 0,
      applied: standIn.events.filter(({ type }) => type === changes[name]).length,
    }),
    disableAccount: (account) => standIn.changeAccount(account, { revoked: true }),
    enableAccount: (account) => standIn.changeAccount(account, { revoked: false }),
    rejectLocation: standIn.removeLocation,
  };
}

const unanswered: ProcessorError = { kind: 'unavailable', outcome: 'unknown', answered: false };

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
