import { type Clock, formatMoney, type ProcessorAccount } from '@chairside/core';
import { type DrivenProcessor, driveProcessor } from '@chairside/testkit';
import { sign } from '../src/events.ts';
import { createTallyProcessor } from '../src/processor.ts';
import { statuses } from '../src/shapes.ts';
import { routeOfCall, url } from './harness.ts';
import { holdMs, type Presented, type TallyOrder } from './tally/books.ts';
import { apiKey, createTally, webhookSecret } from './tally/tally.ts';

/** The adapter over Tally, for the specs and the simulation. Some controls are late, as over a wire. */
export function driveTally(clock: Clock, accounts: readonly ProcessorAccount[]): DrivenProcessor {
  const tally = createTally(clock);
  for (const { id, terminalLocation = '' } of accounts) {
    tally.merchants.set(id, { isClosed: false, sites: new Set([terminalLocation]) });
  }
  const adapter = createTallyProcessor({ url, apiKey, webhookSecret, fetch: tally.fetch });
  const orderOf = (reference: string) => {
    const order = tally.saleOf(reference);
    if (order === undefined) throw new Error('no such sale');
    return order;
  };
  return driveProcessor(adapter, {
    longestHoldMs: holdMs,
    lacksCards: ['apple_pay', 'slow_to_approve', 'expires_soon'],
    entries: async () => {
      tally.settle();
      return tally.orders.map(entryOf);
    },
    setups: async () =>
      tally.vaults.map(({ id, number, source, token, state, customer }) => {
        const ours = { setupId: number, installation: source, customerId: customer };
        return { id, ...ours, status: state, clientSecret: token };
      }),
    presentCard: async (token, card) => tally.present(token, presented[card] ?? 'approve'),
    completeSetup: (token) => {
      tally.enterCard(token);
      return 'completed';
    },
    takeEvents: () => tally.takeMessages(),
    signEvent: (payload) => sign(payload, webhookSecret, clock.now()),
    refund: (reference, amountMinor) => {
      if (tally.refund(orderOf(reference), amountMinor) === undefined) throw new Error('too much');
    },
    dispute: (reference, amountMinor) => tally.dispute(reference, amountMinor),
    endRefund: (reference, refund, state) => tally.endRefund(orderOf(reference), refund, state),
    slowCaptures: async (isSlow) => {
      tally.slow.clear();
      for (const { id } of isSlow ? accounts : []) tally.slow.add(id);
    },
    endCapture: (reference, end) => tally.endCompletion(reference, end),
    // Tally cannot lose a request, and it is read by more than one route.
    fault: async (call, fault) => {
      if (call === 'createConnectionToken' || call === 'readPayment') return false;
      if (fault === 'timeoutBeforeApplying' || fault === 'timeoutAfterApplying') return false;
      tally.failNext(routeOfCall[call], fault);
      return true;
    },
  });
}

const presented: Readonly<Record<string, Presented>> = {
  declined: 'decline',
  canceled: 'cancel',
  partially_authorized: 'approvePartly',
};

const whats: Readonly<Record<string, string>> = {
  'order.open': 'opened',
  'order.held': 'authorized',
  'order.declined': 'declined',
  'order.completed': 'captured',
  'order.voided': 'canceled',
  'refund.made': 'refunded',
  'dispute.opened': 'disputed',
};

function entryOf({ sale, ...order }: TallyOrder) {
  const { totalMinor: takenMinor = 0n } = sale?.completed ?? {};
  return {
    id: sale?.id ?? order.token,
    account: order.merchant,
    paymentId: order.number,
    installation: order.source,
    status: statuses[order.state],
    amount: formatMoney(order.totalMinor),
    amountCaptured: formatMoney(takenMinor),
    ...(sale?.approvedMinor && { amountAuthorized: formatMoney(sale.approvedMinor) }),
    ...(order.feeMinor && { applicationFee: formatMoney(order.feeMinor) }),
    createdAt: order.openedAt,
    clientSecret: order.token,
    history: order.log.flatMap(({ at, type }) => (whats[type] ? [{ at, what: whats[type] }] : [])),
    refunds: order.refunds.map(({ id, note, state, totalMinor }) => ({
      ...{ id, state, amount: formatMoney(totalMinor) },
      ...(note !== undefined && { refundId: note }),
    })),
  };
}
