import type { Processor, RawEvent } from '@chairside/core/ports';
import { createManualClock } from '@chairside/testkit';
import type { LosableCall, ProcessorHarness, ReplyMember } from '@chairside/testkit/contracts';
import type { Fetch } from '../src/connection.ts';
import { sign } from '../src/events.ts';
import { createTallyProcessor } from '../src/processor.ts';
import type { TallyOrder } from './tally/books.ts';
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
  listDisputes: 'listDisputes',
  listRecentDisputes: 'listRecentDisputes',
  listEntries: 'listRecentRefunds',
  listPayouts: 'listRecentRefunds',
};

const altered: Partial<Readonly<Record<ReplyMember, readonly [string, string]>>> = {
  identity: ['number', 'another'],
  amount: ['total', '99.99'],
  currency: ['currency', 'CHF'],
  account: ['merchant', 'another'],
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
    present: async (token, presentation) => {
      if (presentation === 'process' || presentation === 'approveInterac') {
        throw new Error(`Tally cannot do that: ${presentation}`);
      }
      return tally.present(token, presentation);
    },
    loseReply: async (call) => tally.failNext(routeOfCall[call], 'lostReply'),
    fail: async (call, isApplied) =>
      tally.failNext(routeOfCall[call], isApplied ? 'failureAfterApplying' : 'failure'),
    garbleReply: async (call) => tally.failNext(routeOfCall[call], 'garbled'),
    alterReply: async (call, member) => {
      const [name = '', other] = altered[member] ?? [];
      tally.failNext(routeOfCall[call], (of, was) => (of === name ? other : was));
      return name !== '';
    },
    rateLimit: async (call, after = 0) => {
      for (let count = 0; count < after; count += 1) {
        tally.failNext(routeOfCall[call], (_name, was) => was);
      }
      tally.failNext(routeOfCall[call], 'rateLimited');
    },
    refuse: async (call) => tally.failNext(routeOfCall[call], 'refused'),
    second: async () => wrongly(adapter(overWire(tally)), tally),
    silent: async (call) => {
      tally.failNext(routeOfCall[call], 'silent');
      return wrongly(adapter(overWire(tally), { deadlineMs: 50 }), tally);
    },
    spoil: async (reference, items = 'payment') => {
      const order = saleOf(reference);
      if (items === 'payment') order.isSpoiled = true;
      else for (const one of order[items]) one.isSpoiled = true;
    },
    otherMessage: ['merchant.opened', 'toString'].map((type) =>
      JSON.stringify({ id: 'msg_other', type }),
    ),
    endRefund: async (reference, refund, state) =>
      tally.endRefund(saleOf(reference), refund, state),
    books: async (reference) => {
      const { totalMinor, sale } = saleOf(reference);
      return { amountMinor: totalMinor, capturedMinor: sale?.completed?.totalMinor ?? 0n };
    },
    copy: async (reference, account) => {
      const { number, source, totalMinor, currency } = saleOf(reference);
      const marked = { merchant: account, number, source, totalMinor, currency };
      const begun = { token: tally.newId('token'), openedAt: clock.now(), revision: 0 };
      const order: TallyOrder = {
        ...marked,
        ...begun,
        state: 'open',
        refunds: [],
        disputes: [],
        log: [],
      };
      tally.orders.push(order);
      const sale = tally.present(order.token, 'approve');
      if (order.sale !== undefined) tally.complete(order, order.sale, 'other software');
      return sale;
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
