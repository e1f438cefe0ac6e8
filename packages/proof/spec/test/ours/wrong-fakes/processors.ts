import { hourMs, okAsync } from '@chairside/core';
import type {
  ListedEntry,
  Processor,
  ProcessorCharges,
  ProcessorDispute,
  ProcessorPayment,
  ProcessorSettlements,
} from '@chairside/core/ports';
import { type CardName, createFakeProcessor, type FakeProcessor } from '@chairside/fake-processor';
import { createManualClock } from '@chairside/testkit';
import type { ProcessorHarness, SavedCard } from '@chairside/testkit/contracts';
import type { Fault } from '../run-suite.ts';

/** The fake with one fault of what Tally lacks, and the cases of the contract that must fail over it. */
interface WrongFake extends Fault {
  readonly change: (right: FakeProcessor) => Partial<Processor>;
}

const dayMs = 24 * hourMs;

const cards: Readonly<Record<SavedCard, CardName>> = {
  approve: 'visa_credit',
  decline: 'declined_when_saved',
  needsCustomer: 'needs_customer',
  vanish: 'vanishes',
};

/** The contract's harness over the fake with this fault. */
export function over(change: WrongFake['change']): ProcessorHarness {
  const clock = createManualClock(Date.UTC(2026, 10, 21, 9));
  const fake = createFakeProcessor({ clock });
  let accounts = 0;
  return {
    processor: { ...fake, ...change(fake) },
    clock,
    async newAccount() {
      accounts += 1;
      return { id: `acct_${accounts}`, currency: 'usd' };
    },
    present: async (clientSecret, what) =>
      fake
        .presentCard(clientSecret, what === 'process' ? 'slow_to_approve' : 'visa_credit')
        ._unsafeUnwrap().externalPaymentReference.id,
    loseReply: async (call) => fake.failNext(call, 'lostReply'),
    async books(reference) {
      const { amount = '0.00', amountCaptured = '0.00' } = fake.bookEntry(reference) ?? {};
      return { amountMinor: minor(amount), capturedMinor: minor(amountCaptured) };
    },
    async completeSetup(clientSecret, card = 'approve') {
      fake.completeSetup(clientSecret, cards[card])._unsafeUnwrap();
    },
    async endRefund(reference, refund, state) {
      fake.endRefund(reference, refund, state)._unsafeUnwrap();
    },
    async dispute(reference, amountMinor) {
      fake.dispute(reference, amountMinor)._unsafeUnwrap();
    },
    async inquire(reference, amountMinor) {
      fake.inquire(reference, amountMinor)._unsafeUnwrap();
    },
    async withholdDispute(reference, dispute) {
      fake.withholdDispute(reference, dispute)._unsafeUnwrap();
    },
    async reopenDispute(reference, dispute) {
      fake.reopenDispute(reference, dispute)._unsafeUnwrap();
    },
    async closeDispute(reference, dispute, state) {
      fake.closeDispute(reference, dispute, state)._unsafeUnwrap();
    },
    advance: async (ms) => clock.advance(ms),
    async payOut() {
      const midnight = (Math.floor(clock.now() / dayMs) + 3) * dayMs;
      clock.advance(midnight + 1 - clock.now());
    },
    async failPayout(account, payout) {
      fake.failPayout(account, payout)._unsafeUnwrap();
    },
  };
}

const minor = (money: string) => BigInt(money.replace('.', ''));

const settling =
  (change: (right: ProcessorSettlements) => Partial<ProcessorSettlements>): WrongFake['change'] =>
  ({ settlements }) => ({ settlements: { ...settlements, ...change(settlements) } });

const items = (change: (items: readonly ListedEntry[]) => readonly ListedEntry[]) =>
  settling(({ listEntries }) => ({
    listEntries: (request) =>
      listEntries(request).map((page) => ({ ...page, items: change(page.items) })),
  }));

const shown =
  (change: (seen: ProcessorPayment) => ProcessorPayment): WrongFake['change'] =>
  (fake) => ({
    readPayment: (handle, claimed) =>
      fake.readPayment(handle, claimed).map((seen) => seen && change(seen)),
  });

const disputed =
  (change: (dispute: ProcessorDispute) => ProcessorDispute): WrongFake['change'] =>
  ({ disputes }) => ({
    disputes: {
      ...disputes,
      list: (payment) => disputes.list(payment).map((all) => all.map(change)),
    },
  });

const charging =
  (authorize: (right: FakeProcessor) => ProcessorCharges['authorize']): WrongFake['change'] =>
  (fake) => ({ charges: { authorize: authorize(fake) } });

/** Always the books of the first request. */
function firstBooks() {
  let seen: string | undefined;
  return <Request extends { readonly books: string }>(request: Request): Request => {
    seen ??= request.books;
    return { ...request, books: seen };
  };
}

/** One fault each. */
export const wrongFakes: readonly WrongFake[] = [
  {
    fault: 'shows a payment in processing as created',
    caughtBy: [
      'presenting a card stays in processing while the bank takes its time, and is not captured',
    ],
    change: shown((seen) => (seen.status === 'processing' ? { ...seen, status: 'created' } : seen)),
  },
  {
    fault: 'states a deadline at half of the time',
    caughtBy: ['holds an authorization no longer than its deadline says, to within a tenth'],
    change: shown(({ captureBefore, authorizedAt = 0, ...seen }) => ({
      ...seen,
      authorizedAt,
      ...(captureBefore !== undefined && { captureBefore: (captureBefore + authorizedAt) / 2 }),
    })),
  },
  {
    fault: 'shows what a won dispute gave back as withheld',
    caughtBy: ['disputes withhold their amount until they are won'],
    change: disputed((one) => ({
      ...one,
      bookings: one.bookings.filter(({ amountMinor }) => amountMinor < 0n),
    })),
  },
  {
    fault: 'shows a case that goes on as lost',
    caughtBy: [
      'disputes are open again when a case goes on that was lost, and move no money by that',
      'disputes withhold nothing as an inquiry, and leave the payment refundable',
    ],
    change: disputed((one) => (one.state === 'open' ? { ...one, state: 'lost' } : one)),
  },
  {
    fault: 'does not say why a refund failed',
    caughtBy: ['refunds state why they failed, and nothing before'],
    change: ({ refunds }) => ({
      refunds: {
        ...refunds,
        list: (payment) =>
          refunds.list(payment).map((all) => all.map(({ failure: _why, ...refund }) => refund)),
      },
    }),
  },
  {
    fault: 'lists an entry twice',
    caughtBy: [
      'the entries of a balance show a refund that keeps the fee of the platform',
      "the entries of a balance tell the platform's fee from the processor's",
      'the entries of a balance show a dispute as an amount that leaves, and as one that returns if it is won',
      'the entries of a balance are listed once each, oldest first, and never change',
      'the entries of a balance are found by the time when the balance changed',
      'payouts pay each entry once, and are the sum of what they pay',
      'payouts leave entries of another installation to the others',
    ],
    change: items((all) => all.flatMap((entry) => [entry, entry]).slice(0, 2)),
  },
  {
    fault: 'gives the fee the wrong sign',
    caughtBy: [
      'the entries of a balance show a captured payment once, with the fee that the processor keeps',
    ],
    change: items((all) =>
      all.map((entry) => ({ ...entry, processorFeeMinor: -entry.processorFeeMinor })),
    ),
  },
  {
    fault: 'forgets the amount of a refund that failed',
    caughtBy: [
      'the entries of a balance show a refund as an amount that leaves, and as one that returns if it fails',
    ],
    change: items((all) =>
      all.filter(({ kind, amountMinor }) => kind !== 'refund' || amountMinor < 0n),
    ),
  },
  {
    fault: 'lists entries of another account',
    caughtBy: ['the entries of a balance belong to one installation, and to one set of books'],
    change: settling(({ listEntries }) => {
      const ofFirst = firstBooks();
      return { listEntries: (request) => listEntries(ofFirst(request)) };
    }),
  },
  {
    fault: 'lists payouts of another account',
    caughtBy: ['payouts are found by the time when they were made, for one account'],
    change: settling(({ listPayouts }) => {
      const ofFirst = firstBooks();
      return { listPayouts: (request) => listPayouts(ofFirst(request)) };
    }),
  },
  {
    fault: 'shows a payout as paid before it arrives',
    caughtBy: [
      'payouts are on their way until they arrive',
      'payouts that fail are paid again by one that names them',
    ],
    change: settling(({ listPayouts }) => ({
      listPayouts: (request) =>
        listPayouts(request).map((page) => ({
          ...page,
          items: page.items.map((payout) => ({ ...payout, state: 'paid' })),
        })),
    })),
  },
  {
    fault: 'takes the money of a charge at once',
    caughtBy: ['hold the amount and take none, saved for later: true'],
    change: charging(
      (fake) => (request) =>
        fake.charges
          .authorize(request)
          .andThen((seen) =>
            seen.status === 'authorized'
              ? fake
                  .capturePayment({ ...request, idempotencyKey: `${request.idempotencyKey}:take` })
                  .map(() => seen)
              : okAsync(seen),
          ),
    ),
  },
  {
    fault: 'charges again for the same key',
    caughtBy: [
      'charges of saved methods are one for one key',
      'authorizeMethod, sent again, is unknown if its reply is lost, and is made once under the same key',
      'show a refused card as failed: needsCustomer',
      'show a refused card as failed: decline',
    ],
    change: charging((fake) => {
      let calls = 0;
      return (request) => {
        calls += 1;
        return fake.charges.authorize({
          ...request,
          idempotencyKey: `${request.idempotencyKey}:${calls}`,
        });
      };
    }),
  },
  {
    fault: 'calls a vanished method a decline',
    caughtBy: [
      'of a method that the processor no longer has are rejected, without an entry',
      'of a method that its setup did not collect, or another installation has, are rejected, without an entry',
    ],
    change: charging(
      (fake) => (request) =>
        fake.charges
          .authorize(request)
          .mapErr((error) =>
            error.kind === 'rejected' ? { kind: 'rejected', reason: 'declined' } : error,
          ),
    ),
  },
  {
    fault: 'leaves the fee of a charge out',
    caughtBy: ['charges of saved methods carry the fee of the platform'],
    change: charging(
      (fake) =>
        ({ applicationFeeMinor: _fee, ...request }) =>
          fake.charges.authorize(request),
    ),
  },
];
