import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hourMs, parseMoney } from '@chairside/core';
import type { RawEvent } from '@chairside/core/ports';
import {
  type CardName,
  createFakeProcessor,
  createMemoryStorage,
  type FakeProcessorOptions,
} from '@chairside/fake-processor';
import { createManualClock } from '@chairside/testkit';
import {
  type LosableCall,
  type Presentation,
  processorContract,
  type SavedCard,
} from '@chairside/testkit/contracts';
import { afterAll } from 'vitest';
import { value } from './helpers.ts';

const presentations: Readonly<Record<Presentation, CardName>> = {
  approve: 'visa_credit',
  decline: 'declined',
  cancel: 'canceled',
  approvePartly: 'partially_authorized',
  approveInterac: 'interac',
  process: 'slow_to_approve',
};

const saved: Readonly<Record<SavedCard, CardName>> = {
  approve: 'visa_credit',
  decline: 'declined_when_saved',
  needsCustomer: 'needs_customer',
  vanish: 'vanishes',
};

function harness(options: Partial<FakeProcessorOptions>) {
  const clock = createManualClock(Date.UTC(2026, 10, 21, 9));
  const storage = createMemoryStorage();
  const all = {
    clock,
    rejectedLocations: ['fll_closed'],
    ...(options.file === undefined && { storage }),
    ...options,
  };
  const processor = createFakeProcessor(all);
  let accounts = 0;
  const newAccount = async () => {
    accounts += 1;
    return { id: `acct_${accounts}`, currency: 'usd', terminalLocation: 'fll_main' };
  };
  return {
    processor,
    clock,
    newAccount,
    accountNotSetUp: async () => {
      const account = await newAccount();
      processor.disableAccount(account.id);
      return account;
    },
    rejectedLocation: 'fll_closed',
    present: async (clientSecret: string, presentation: Presentation) =>
      value(processor.presentCard(clientSecret, presentations[presentation]))
        .externalPaymentReference.id,
    loseReply: async (call: LosableCall) => processor.failNext(call, 'lostReply'),
    fail: async (call: LosableCall, isApplied: boolean) =>
      processor.failNext(call, isApplied ? 'failureAfterApplying' : 'failure'),
    rateLimit: async (call: LosableCall) => processor.failNext(call, 'rateLimited'),
    refuse: async (call: LosableCall) => processor.failNext(call, 'refused'),
    second: async () => createFakeProcessor(all),
    // It has no pages of its own, so the test chooses more than the pages of real processors hold.
    refundsPerPage: 100,
    payoutsToList: 101,
    endRefund: async (reference: string, refund: string, state: 'succeeded' | 'failed') => {
      value(processor.endRefund(reference, refund, state));
    },
    closeDispute: async (reference: string, dispute: string, state: 'won' | 'lost') => {
      value(processor.closeDispute(reference, dispute, state));
    },
    inquire: async (reference: string, amountMinor: bigint) => {
      value(processor.inquire(reference, amountMinor));
    },
    withholdDispute: async (reference: string, dispute: string) => {
      value(processor.withholdDispute(reference, dispute));
    },
    reopenDispute: async (reference: string, dispute: string) => {
      value(processor.reopenDispute(reference, dispute));
    },
    books: async (reference: string) => {
      const { amount = '', amountCaptured = '' } = processor.bookEntry(reference) ?? {};
      return { amountMinor: minor(amount), capturedMinor: minor(amountCaptured) };
    },
    completeSetup: async (clientSecret: string, card: SavedCard = 'approve') => {
      value(processor.completeSetup(clientSecret, saved[card]));
    },
    forgetCustomer: async (customerId: string) => processor.forgetCustomer(customerId),
    events: async () => value(processor.takeEvents()),
    redeliver: async ({ payload }: RawEvent) => processor.signEvent(payload),
    otherMessage: ['customer.created', 'toString'].map((type) =>
      JSON.stringify({ id: 'evt_other', type }),
    ),
    refund: async (reference: string, amountMinor: bigint) => {
      value(processor.refund(reference, amountMinor));
    },
    dispute: async (reference: string, amountMinor: bigint) => {
      value(processor.dispute(reference, amountMinor));
    },
    advance: async (ms: number) => clock.advance(ms),
    payOut: async () => {
      // Amounts are held for two days; payouts are made at midnight.
      const midnight = (Math.floor(clock.now() / dayMs) + 3) * dayMs;
      clock.advance(midnight + 1 - clock.now());
    },
    failPayout: async (account: string, payout: string) => {
      value(processor.failPayout(account, payout));
    },
    slowCaptures: async () => processor.slowCaptures(true),
    endCapture: async (reference: string, end: 'captured' | 'failed') => {
      // It fails if no capture is in flight.
      processor.endCapture(reference, end).unwrapOr(undefined);
    },
  };
}

const dayMs = 24 * hourMs;
const minor = (money: string) => parseMoney(money)._unsafeUnwrap();

const without = {
  copy: 'no other software writes to the books of the fake',
  stalled: 'a call that the fake holds waits until the test lets it go',
  garbleReply: 'the fake has no wire',
  alterReply: 'the fake has no wire',
  silent: 'the fake measures no time',
  spoil: 'the fake reads its own books',
};

processorContract('fake', () => harness({}), without);

const folder = mkdtempSync(join(tmpdir(), 'fake-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Its `second` opens the file again, as another process does. */
processorContract('fake with a file', () => harness({ file: join(folder, randomUUID()) }), without);

/** Every capture and every refund ends later, so the other cases need their ends too. */
processorContract(
  'fake whose captures end later',
  () => {
    const { slowCaptures: _always, ...always } = harness({});
    always.processor.slowCaptures(true);
    always.processor.slowRefunds(true);
    return always;
  },
  without,
  ['capturing', 'lateCaptures', 'canceling', 'refunds', 'settlements', 'events', 'failing'],
);

processorContract('fake with late references', () => harness({ lateReferences: true }), without, [
  'opening',
  'presenting',
  'reading',
  'canceling',
  'foreign',
  'events',
]);
