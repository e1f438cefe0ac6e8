import { hourMs } from '@chairside/core';
import type { Processor, RawEvent } from '@chairside/core/ports';
import type { StripeProcessor } from '@chairside/stripe';
import {
  type Route,
  type StripeCardName,
  type StripeFault,
  type StripeStandIn,
  signPayload,
} from '@chairside/stripe-stand-in';
import {
  type LosableCall,
  type Presentation,
  type ProcessorCapability,
  type ProcessorHarness,
  processorContract,
  type ReplyMember,
  type SavedCard,
} from '@chairside/testkit/contracts';
import Stripe from 'stripe';
import {
  type SetUp,
  secretKey,
  setUp,
  setUpOverHttp,
  setUpSilent,
  webhookSecret,
} from './stand-in.ts';

const presentations: Readonly<Record<Presentation, StripeCardName>> = {
  approve: 'visa_credit',
  decline: 'declined',
  cancel: 'canceled',
  approvePartly: 'partially_authorized',
  approveInterac: 'visa_credit',
  process: 'slow_to_approve',
};
const saved: Readonly<Record<SavedCard, StripeCardName>> = {
  approve: 'visa_credit',
  decline: 'declined_when_saved',
  needsCustomer: 'needs_customer',
  vanish: 'vanishes',
};
const losable: Readonly<Record<LosableCall, Route>> = {
  openPayment: 'createPaymentIntent',
  authorizeMethod: 'createPaymentIntent',
  readPayment: 'listPaymentIntents',
  capturePayment: 'capturePaymentIntent',
  cancelPayment: 'cancelPaymentIntent',
  openSetup: 'createSetupIntent',
  cancelSetup: 'cancelSetupIntent',
  refund: 'createRefund',
  readReceipt: 'listPaymentIntents',
  readSetup: 'listSetupIntents',
  listPayments: 'listPaymentIntents',
  listRefunds: 'listRefunds',
  listRecentRefunds: 'listRefunds',
  listDisputes: 'listDisputes',
  listRecentDisputes: 'listDisputes',
  listEntries: 'listBalanceTransactions',
  listPayouts: 'listPayouts',
};

/** The requests of a call before the one that changes something, and those of a read after its list. */
const earlier: Partial<Readonly<Record<LosableCall, Route>>> = {
  authorizeMethod: 'retrieveSetupIntent',
  readPayment: 'retrievePaymentIntent',
  readReceipt: 'retrievePaymentIntent',
  readSetup: 'retrieveSetupIntent',
};

const altered: Readonly<Record<ReplyMember, readonly string[]>> = {
  identity: ['chairside_payment', 'chairside_setup', 'chairside_refund'],
  amount: ['amount'],
  currency: ['currency'],
  account: ['chairside_account'],
  customer: ['customer'],
};

/** A text in place of this member makes an item unreadable. */
const spoiled = {
  payment: { route: 'listPaymentIntents', member: 'amount' },
  refunds: { route: 'listRefunds', member: 'payment_intent' },
  disputes: { route: 'listDisputes', member: 'payment_intent' },
} as const;

interface Variant {
  readonly isDestination?: boolean;
  readonly lost: StripeFault;
  /** Where a call that is not applied fails, if not at its most important request. */
  readonly failing?: Partial<Readonly<Record<LosableCall, Route>>>;
  readonly stalled?: () => Promise<Processor>;
  readonly silent?: () => Promise<Processor>;
  readonly second: () => StripeProcessor;
}

function harness({ stripe, standIn, clock }: SetUp, variant: Variant): ProcessorHarness {
  const { isDestination = false, lost, failing, stalled, silent, second } = variant;
  const unapplied = { ...losable, ...failing };
  let told = 0;
  const newAccount = async () => {
    const { id, currency } = standIn.addAccount();
    const terminalLocation = standIn.addLocation(isDestination ? undefined : id);
    return { id, currency, terminalLocation };
  };
  return {
    processor: stripe,
    clock,
    newAccount,
    accountNotSetUp: async () => {
      const account = await newAccount();
      standIn.changeAccount(account.id, { revoked: true, chargesEnabled: false });
      return account;
    },
    rejectedLocation: 'tml_elsewhere',
    present: async (clientSecret, presentation) =>
      standIn.present(clientSecret, presentations[presentation]),
    loseReply: async (call) => {
      // A list whose page does not arrive is asked for fewer items, twice.
      const isList = losable[call].startsWith('list') && lost === 'resetAfterApplying';
      standIn.failNext(losable[call], lost, isList ? 3 : 1);
    },
    fail: async (call, isApplied) => {
      // Only the failure of a request with a key proves that it has ended.
      const route = call === 'authorizeMethod' ? losable[call] : unapplied[call];
      if (isApplied) standIn.failNext(losable[call], 'failureAfterApplying');
      else standIn.failNext(route, 'failure');
    },
    garbleReply: async (call) => standIn.failNext(losable[call], 'malformedBody'),
    alterReply: async (call, member) => {
      const changed = (name: string, was: unknown) =>
        altered[member].includes(name) && was !== null
          ? typeof was === 'number'
            ? was + 1
            : name === 'currency'
              ? 'chf'
              : 'another'
          : was;
      const body = (reply: object) => JSON.parse(JSON.stringify(reply), changed);
      standIn.failNext(losable[call], body);
      return true;
    },
    rateLimit: async (call, after = 0) => {
      // A later read begins with its list, too.
      const route = after > 0 ? losable[call] : unapplied[call];
      if (after > 0) standIn.failNext(route, (body) => body, after);
      standIn.failNext(route, 'rateLimited');
    },
    refuse: async (call) => standIn.failNext(unapplied[call], 'refused'),
    second: async () => second(),
    endRefund: async (_, refund, state) => standIn.endRefund(refund, state),
    closeDispute: async (_, dispute, state) => standIn.moveDispute(dispute, state),
    inquire: async (reference, amountMinor) =>
      standIn.dispute(reference, Number(amountMinor), true),
    withholdDispute: async (_, dispute) => standIn.moveDispute(dispute, 'needs_response'),
    reopenDispute: async (_, dispute) => standIn.moveDispute(dispute, 'appeal_needs_response'),
    books: async (reference) => {
      const intent = standIn.intents().find(({ id }) => id === reference);
      return {
        amountMinor: BigInt(intent?.amount ?? 0),
        capturedMinor: BigInt(intent?.amount_received ?? 0),
      };
    },
    completeSetup: async (clientSecret, card = 'approve') =>
      standIn.completeSetup(clientSecret, saved[card]),
    events: async () => {
      const fresh = standIn.events.slice(told);
      told = standIn.events.length;
      return fresh.map((event) => standIn.signed(event));
    },
    redeliver: async ({ payload }: RawEvent) => signPayload(payload, webhookSecret, clock.now()),
    otherMessage: [
      ['customer.created', { id: 'cus_1', object: 'customer' }],
      ['customer.renamed', { id: 'cus_1', object: 'customer' }],
      ['payment_intent.succeeded', { id: 'pi_1', object: 'payment_intent', metadata: {} }],
    ].map(([type, object]) =>
      JSON.stringify({
        id: 'evt_other',
        object: 'event',
        type,
        api_version: Stripe.API_VERSION,
        created: 0,
        livemode: false,
        data: { object },
      }),
    ),
    spoil: async (reference, items = 'payment') => {
      const change = (item: unknown) => {
        const { id, payment_intent: intent = id } = { id: '', ...Object(item) };
        const isIts = (intent?.id ?? intent) === reference;
        return isIts ? { ...Object(item), [spoiled[items].member]: 'x' } : item;
      };
      const changeAll = (body: Readonly<Record<string, unknown>>) => ({
        ...body,
        data: [body['data']].flat().map(change),
      });
      standIn.failNext(spoiled[items].route, changeAll, 20);
    },
    ...(!isDestination && { copy: (reference, account) => copied(standIn, reference, account) }),
    refund: async (reference, amountMinor) => standIn.refund(reference, Number(amountMinor)),
    dispute: async (reference, amountMinor) => standIn.dispute(reference, Number(amountMinor)),
    advance: async (ms) => clock.advance(ms),
    payOut: async (account) => {
      clock.advance(2 * 24 * hourMs);
      standIn.payOut(account);
      clock.advance(hourMs);
    },
    failPayout: async (_, payout) => standIn.failPayout(payout),
    ...(stalled !== undefined && { stalled }),
    ...(silent !== undefined && {
      silent: async (call) => {
        standIn.failNext(losable[call], 'timeoutAfterApplying');
        return silent();
      },
    }),
  };
}

/** Other software captures a payment in another account, with the metadata of one of ours. */
async function copied(
  { httpClient, intents, present }: StripeStandIn,
  reference: string,
  stripeAccount: string,
): Promise<string> {
  const metadata = intents().find(({ id }) => id === reference)?.metadata ?? {};
  const { paymentIntents } = new Stripe(secretKey, { httpClient, maxNetworkRetries: 0 });
  const params: Stripe.PaymentIntentCreateParams = {
    allowed_payment_method_types: ['card_present'],
    capture_method: 'manual',
    amount: 4537,
    currency: 'usd',
    metadata,
  };
  const { id, client_secret } = await paymentIntents.create(params, { stripeAccount });
  present(client_secret ?? '', 'visa_credit');
  await paymentIntents.capture(id, {}, { stripeAccount });
  return id;
}

type Without = Partial<Readonly<Record<ProcessorCapability, string>>>;
const capturesEndLater = 'Stripe’s reply to a capture shows its end';
const approveInterac =
  'no Interac card can be authorized before its capture; refunds.test has the refusal';
const forgetCustomer = 'the adapter makes the customers; those of a host are in setups.test.ts';
const inProcess: Without = {
  silent: 'in process a time-out takes no time; see over HTTP',
  stalled: 'in process a time-out takes no time; see over HTTP',
  approveInterac,
  capturesEndLater,
  forgetCustomer,
};

processorContract(
  'stripe, direct charges',
  () => {
    const set = setUp();
    const { another: second } = set;
    const direct = harness(set, { lost: 'resetAfterApplying', second });
    return { ...direct, refundsPerPage: 100, crowd: 310 };
  },
  inProcess,
);

// The other variants of Stripe's undocumented behaviour.
processorContract(
  'stripe, other refusals',
  () => {
    const set = setUp(
      {},
      { unknownAccount: 404, unknownLocation: 404, searchLagSeconds: 'noSearch' },
    );
    return harness(set, { lost: 'resetAfterApplying', second: set.another });
  },
  inProcess,
  ['opening', 'reading', 'foreign', 'tokens', 'receipts', 'setups', 'unanswered'],
);

processorContract(
  'stripe, direct charges, over HTTP',
  async () => {
    const over = await setUpOverHttp();
    const silent = async () => over.another({ deadlineMs: 250 });
    const { another: second } = over;
    return harness(over, { lost: 'malformedBody', stalled: setUpSilent, silent, second });
  },
  {
    approveInterac,
    capturesEndLater,
    forgetCustomer,
    refuse: 'a stand-in that listens accepts connections',
  },
  ['opening', 'capturing', 'canceling', 'refunds', 'failing', 'unanswered', 'time'],
);

processorContract(
  'stripe, destination charges',
  () => {
    const set = setUp({ charges: 'destination' });
    const { another: second } = set;
    const more = { isDestination: true, failing: earlier } as const;
    return harness(set, { ...more, lost: 'resetAfterApplying', second });
  },
  {
    ...inProcess,
    accountNotSetUp: 'the connection token is the platform’s own, whatever the account',
    copy: 'every payment is in the account of the platform',
    payOut: 'the shops are paid out from accounts of their own',
  },
  [
    'opening',
    'capturing',
    'foreign',
    'tokens',
    'listing',
    'refunds',
    'settlements',
    'charges',
    'events',
    'failing',
    'unanswered',
  ],
);
