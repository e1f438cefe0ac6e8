import type { RawEvent } from '@chairside/core';
import {
  type LosableCall,
  type Presentation,
  type ProcessorHarness,
  processorContract,
} from '@chairside/testkit';
import {
  type Route,
  type StripeCardName,
  type StripeFault,
  signPayload,
} from '@chairside/testkit/stripe';
import { type SetUp, setUp, setUpOverHttp, webhookSecret } from './stand-in.ts';

const presentations: Readonly<Record<Presentation, StripeCardName>> = {
  approve: 'visa_credit',
  decline: 'declined',
  cancel: 'canceled',
  approvePartly: 'partially_authorized',
};
const losable: Readonly<Record<LosableCall, Route>> = {
  openPayment: 'createPaymentIntent',
  capturePayment: 'capturePaymentIntent',
  cancelPayment: 'cancelPaymentIntent',
  openSetup: 'createSetupIntent',
};

interface Variant {
  readonly isDestination?: boolean;
  readonly lost: StripeFault;
  readonly close?: () => Promise<void>;
}

function harness({ stripe, standIn, clock }: SetUp, variant: Variant): ProcessorHarness {
  const { isDestination = false, lost, close } = variant;
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
    loseReply: async (call) => standIn.failNext(losable[call], lost),
    completeSetup: async (clientSecret) => standIn.completeSetup(clientSecret),
    events: async () => {
      const fresh = standIn.events.slice(told);
      told = standIn.events.length;
      return fresh.map((event) => standIn.signed(event));
    },
    redeliver: async ({ payload }: RawEvent) => signPayload(payload, webhookSecret, clock.now()),
    refund: async (reference, amountMinor) => standIn.refund(reference, Number(amountMinor)),
    dispute: async (reference, amountMinor) => standIn.dispute(reference, Number(amountMinor)),
    ...(close !== undefined && { close }),
  };
}

processorContract('stripe, direct charges', () => harness(setUp(), { lost: 'resetAfterApplying' }));

processorContract('stripe, direct charges, over HTTP', async () => {
  const over = await setUpOverHttp();
  return harness(over, { lost: 'malformedBody', close: over.close });
});

processorContract(
  'stripe, destination charges',
  () =>
    harness(setUp({ charges: 'destination' }), {
      isDestination: true,
      lost: 'resetAfterApplying',
    }),
  { accountNotSetUp: 'the connection token is the platform’s own, whatever the account' },
);
