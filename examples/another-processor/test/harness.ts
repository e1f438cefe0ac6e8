import type { Processor, RawEvent } from '@chairside/core';
import { createManualClock } from '@chairside/testkit';
import type { LosableCall, ProcessorHarness } from '@chairside/testkit/contracts';
import type { Fetch } from '../src/connection.ts';
import { sign } from '../src/events.ts';
import { createTallyProcessor } from '../src/processor.ts';
import type { RouteName } from './tally/routes.ts';
import { apiKey, createTally, type Tally, webhookSecret } from './tally/tally.ts';

export const routeOfCall: Readonly<Record<LosableCall, RouteName>> = {
  openPayment: 'createOrder',
  authorizeMethod: 'createOrder',
  readPayment: 'listOrders',
  capturePayment: 'completeSale',
  cancelPayment: 'voidOrders',
  openSetup: 'createVault',
  cancelSetup: 'cancelVault',
  refund: 'createRefund',
  readReceipt: 'listOrders',
  readSetup: 'listVaults',
  listPayments: 'listOrders',
  listRefunds: 'listRefunds',
  listRecentRefunds: 'listRecentRefunds',
  listDisputes: 'listRefunds',
  listRecentDisputes: 'listRecentRefunds',
  listEntries: 'listRecentRefunds',
  listPayouts: 'listRecentRefunds',
};

export const url = 'https://tally.example';

const adapter = (fetch: Fetch, more: { readonly deadlineMs?: number } = {}) =>
  createTallyProcessor({ url, apiKey, webhookSecret, fetch, ...more });

export type Right = ReturnType<typeof createTallyProcessor>;

/** Never answers, and ends with its signal. */
const silent: Fetch = (_, { signal }) =>
  new Promise((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason));
  });

/** The adapter over Tally in this process. A wrong one comes in between. */
export function harness(
  wrongly: (right: Right, tally: Tally) => Processor = (right) => right,
  overWire: (tally: Tally) => Fetch = ({ fetch }) => fetch,
): ProcessorHarness {
  const clock = createManualClock(Date.UTC(2026, 10, 21, 9));
  const tally = createTally(clock);
  const processor = wrongly(adapter(overWire(tally)), tally);
  let merchants = 0;
  const newAccount = async () => {
    merchants += 1;
    const id = `merchant-${merchants}`;
    tally.merchants.set(id, { isClosed: false, sites: new Set(['site-1']) });
    return { id, currency: 'eur', terminalLocation: 'site-1' };
  };
  const saleOf = (reference: string) => {
    const order = tally.saleOf(reference);
    if (order === undefined) throw new Error('no such sale');
    return order;
  };
  return {
    processor,
    clock,
    newAccount,
    accountNotSetUp: async () => {
      const account = await newAccount();
      tally.merchants.set(account.id, { isClosed: true, sites: new Set() });
      return account;
    },
    rejectedLocation: 'site-2',
    present: async (token, presentation) => tally.present(token, presentation),
    loseReply: async (call) => tally.failNext(routeOfCall[call], 'lostReply'),
    fail: async (call, isApplied) =>
      tally.failNext(routeOfCall[call], isApplied ? 'failureAfterApplying' : 'failure'),
    garbleReply: async (call) => tally.failNext(routeOfCall[call], 'garbled'),
    rateLimit: async (call) => tally.failNext(routeOfCall[call], 'rateLimited'),
    refuse: async (call) => tally.failNext(routeOfCall[call], 'refused'),
    second: async () => wrongly(adapter(overWire(tally)), tally),
    silent: async (call) => {
      tally.failNext(routeOfCall[call], 'silent');
      return wrongly(adapter(overWire(tally), { deadlineMs: 50 }), tally);
    },
    spoil: async (reference, items = 'payment') => {
      const order = saleOf(reference);
      if (items === 'payment') order.isSpoiled = true;
      for (const refund of items === 'refunds' ? order.refunds : []) refund.isSpoiled = true;
    },
    otherMessage: JSON.stringify({ id: 'msg_other', type: 'merchant.opened' }),
    endRefund: async (reference, refund, state) =>
      tally.endRefund(saleOf(reference), refund, state),
    books: async (reference) => {
      const { totalMinor, sale } = saleOf(reference);
      return { amountMinor: totalMinor, capturedMinor: sale?.completed?.totalMinor ?? 0n };
    },
    completeSetup: async (token) => tally.enterCard(token),
    forgetCustomer: async (customerId) => {
      tally.forgotten.add(customerId);
    },
    events: async () => tally.takeMessages(),
    redeliver: async ({ payload }: RawEvent) => sign(payload, webhookSecret, clock.now()),
    refund: async (reference, amountMinor) => {
      const made = tally.refund(saleOf(reference), amountMinor);
      if (made === undefined) throw new Error('too much');
    },
    dispute: async (reference, amountMinor) => tally.dispute(reference, amountMinor),
    advance: async (ms) => clock.advance(ms),
    slowCaptures: async () => {
      for (const merchant of tally.merchants.keys()) tally.slow.add(merchant);
    },
    endCapture: async (reference, end) => tally.endCompletion(reference, end),
    stalled: async () => wrongly(adapter(silent, { deadlineMs: 50 }), tally),
  };
}
