import { errAsync, okAsync, type ProcessorCharges, type ProcessorError } from '@chairside/core';
import { type CardName, createFakeProcessor, type FakeProcessor } from '@chairside/fake-processor';
import { createManualClock } from '@chairside/testkit';
import type {
  ProcessorCapability,
  ProcessorHarness,
  SavedCard,
} from '@chairside/testkit/contracts';
import type { Fault } from '../run-suite.ts';

/** The fake with one fault of its charges, and the case of the contract that must fail over it. */
interface WrongCharges extends Fault {
  readonly authorize: (right: FakeProcessor) => ProcessorCharges['authorize'];
}

const cards: Readonly<Record<SavedCard, CardName>> = {
  approve: 'visa_credit',
  decline: 'declined_when_saved',
  needsCustomer: 'needs_customer',
  vanish: 'vanishes',
};

const reason = 'other suites judge this';
/** Only charges are judged. */
export const without: Partial<Readonly<Record<ProcessorCapability, string>>> = {
  accountNotSetUp: reason,
  advance: reason,
  capturesEndLater: reason,
  closeDispute: reason,
  dispute: reason,
  disputes: reason,
  endRefund: reason,
  events: reason,
  fail: reason,
  garbleReply: reason,
  redeliver: reason,
  refund: reason,
  refuse: reason,
  rejectedLocation: reason,
  second: reason,
  settlements: reason,
  silent: reason,
  spoil: reason,
  otherMessage: reason,
  stalled: reason,
};

/** The contract's harness over the fake, whose charges are these. */
export function over(authorize: WrongCharges['authorize']): ProcessorHarness {
  const clock = createManualClock();
  const fake = createFakeProcessor({ clock });
  let accounts = 0;
  return {
    processor: { ...fake, charges: { authorize: authorize(fake) } },
    clock,
    async newAccount() {
      accounts += 1;
      return { id: `acct_${accounts}`, currency: 'usd' };
    },
    present: async (clientSecret) =>
      fake.presentCard(clientSecret, 'visa_credit')._unsafeUnwrap().externalPaymentReference.id,
    loseReply: async (call) => fake.failNext(call, 'lostReply'),
    rateLimit: async (call) => fake.failNext(call, 'rateLimited'),
    async books(reference) {
      const { amount = '0.00', amountCaptured = '0.00' } = fake.ledgerEntry(reference) ?? {};
      return { amountMinor: minor(amount), capturedMinor: minor(amountCaptured) };
    },
    async completeSetup(clientSecret, card = 'approve') {
      fake.completeSetup(clientSecret, cards[card])._unsafeUnwrap();
    },
  };
}

const minor = (money: string) => BigInt(money.replace('.', ''));

/** One fault each. */
export const wrongCharges: readonly WrongCharges[] = [
  {
    fault: 'takes the money of a charge at once',
    caughtBy: 'hold the amount and take none, saved for later: true',
    authorize: (fake) => (request) =>
      fake.charges
        .authorize(request)
        .andThen((seen) =>
          seen.status === 'authorized'
            ? fake
                .capturePayment({ ...request, idempotencyKey: `${request.idempotencyKey}:take` })
                .map(() => seen)
            : okAsync(seen),
        ),
  },
  {
    fault: 'charges again for the same key',
    caughtBy: 'charges of saved methods are one for one key',
    authorize(fake) {
      let calls = 0;
      return (request) => {
        calls += 1;
        return fake.charges.authorize({
          ...request,
          idempotencyKey: `${request.idempotencyKey}:${calls}`,
        });
      };
    },
  },
  {
    fault: 'charges again after a lost reply',
    caughtBy: 'are one for one key after a lost reply',
    authorize: (fake) => (request) =>
      fake.charges
        .authorize(request)
        .orElse((error) =>
          error.kind === 'unavailable'
            ? fake.charges
                .authorize({ ...request, idempotencyKey: `${request.idempotencyKey}:again` })
                .andThen(() => errAsync(error))
            : errAsync(error),
        ),
  },
  {
    fault: 'hides that the bank wants the customer',
    caughtBy: 'show a refused card as failed: needsCustomer',
    authorize: (fake) => (request) =>
      fake.charges
        .authorize(request)
        .map(({ refusal, ...seen }) => (refusal ? { ...seen, refusal: 'declined' } : seen)),
  },
  {
    fault: 'rejects a card that the bank declined, and hides its entry',
    caughtBy: 'show a refused card as failed: decline',
    authorize: (fake) => (request) =>
      fake.charges
        .authorize(request)
        .andThen((seen) =>
          seen.status === 'failed'
            ? errAsync<never, ProcessorError>({ kind: 'rejected', reason: 'declined' })
            : okAsync(seen),
        ),
  },
  {
    fault: 'charges another method of the customer where one is gone',
    caughtBy:
      'of a method that its setup did not collect, or another installation has, are rejected, without an entry',
    authorize: (fake) => (request) => {
      const setup = fake.setups().find(({ paymentMethod }) => {
        return paymentMethod === request.method.paymentMethod;
      });
      const setupReference = setup?.id ?? request.method.setupReference;
      return fake.charges.authorize({ ...request, method: { ...request.method, setupReference } });
    },
  },
  {
    fault: 'calls a vanished method a decline',
    caughtBy: 'of a method that the processor no longer has are rejected, without an entry',
    authorize: (fake) => (request) =>
      fake.charges
        .authorize(request)
        .mapErr((error) =>
          error.kind === 'rejected' ? { kind: 'rejected', reason: 'declined' } : error,
        ),
  },
  {
    fault: 'leaves the fee of a charge out',
    caughtBy: 'charges of saved methods carry the fee of the platform',
    authorize:
      (fake) =>
      ({ applicationFeeMinor: _fee, ...request }) =>
        fake.charges.authorize(request),
  },
];
