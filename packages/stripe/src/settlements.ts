import {
  type EntriesPage,
  errAsync,
  type ListedEntry,
  type ListedPage,
  type ListedPayout,
  type ListRequest,
  okAsync,
  type PayoutState,
  type ResultAsync,
  type SettlementKind,
  secondMs,
  type UnreadablePayment,
} from '@chairside/core';
import type { Call } from './connection.ts';
import { type Failure, rejected } from './failure.ts';
import { type ListOf, listLedger } from './ledger-list.ts';
import { readPage } from './list.ts';
import {
  type Balance,
  type BalanceEntry,
  balanceShape,
  believe,
  chargedFeeShape,
  entryShape,
  type Listed,
  payoutShape,
} from './shapes.ts';
import { apart, ownerOf } from './sweep-lists.ts';
import { lookUp } from './tables.ts';

/** The objects that change a balance for a payment of ours. */
const kinds: Readonly<Record<string, SettlementKind>> = {
  charge: 'payment',
  refund: 'refund',
  dispute: 'dispute',
};

/** Stripe's states in ours. Another state cannot be believed. */
const states: Readonly<Record<string, PayoutState>> = {
  pending: 'pending',
  in_transit: 'pending',
  paid: 'paid',
  failed: 'failed',
  canceled: 'canceled',
};

/** The marks are on the intent of the charge, refund or dispute. */
const expand = ['data.source.payment_intent'];

type EntryRequest = ListRequest & { readonly payout?: string };

/** The changes of a ledger's balance by our payments; with `payout`, those that it pays. */
export function listEntries(call: Call, request: EntryRequest): ResultAsync<EntriesPage, Failure> {
  if (request.payout !== undefined) return entriesOfPayout(call, request, request.payout);
  return listLedger(call, entriesIn(call), request, (item) => {
    const entry = toEntry(call, request, item);
    return typeof entry === 'string' ? entry : { ours: entry };
  }).map(apart);
}

/** The payouts of an account. With destination charges the shops are paid out elsewhere. */
export function listPayouts(
  call: Call,
  request: ListRequest,
): ResultAsync<ListedPage<ListedPayout>, Failure> {
  if (call.charges === 'destination') return okAsync({ items: [] });
  const list: ListOf = (account) => (params) =>
    call.send((stripe, options) => stripe.payouts.list(params, options), { account });
  return listLedger(call, list, request, (item) => {
    const ours = toPayout(call, item);
    return ours === undefined ? 'unreadable' : { ours };
  });
}

function entriesIn(call: Call, of: { readonly payout?: string } = {}): ListOf {
  return (account) => (params) =>
    call.send(
      (stripe, options) => stripe.balanceTransactions.list({ ...params, ...of, expand }, options),
      { account },
    );
}

/** A page of what a payout pays. Stripe lists the payout's own entry with it. */
function entriesOfPayout(
  call: Call,
  request: ListRequest,
  payout: string,
): ResultAsync<EntriesPage, Failure> {
  const { ledger, limit, cursor } = request;
  if (call.charges === 'destination') return errAsync(rejected('unknownLedger'));
  const list = entriesIn(call, { payout })(ledger);
  return readPage(list, { gte: 0 }, cursor, Math.min(100, limit)).map(({ items: all, last }) => {
    const items: ListedEntry[] = [];
    const repaid: string[] = [];
    let othersMinor = 0n;
    for (const item of all) {
      const entry = toEntry(call, request, item);
      if (typeof entry === 'object' && 'paymentId' in entry) {
        items.push(entry);
        continue;
      }
      // Without an amount the payout is not the sum of its entries, and the statement says so.
      const balance = believe(balanceShape, item).unwrapOr(undefined);
      if (balance === undefined) continue;
      othersMinor += otherMinor(balance, payout);
      if (returned.has(balance.type) && balance.source) repaid.push(balance.source.id);
    }
    return { items, othersMinor, repaid, ...(last !== undefined && { cursor: last.id }) };
  });
}

/** A payout that did not arrive is in the balance again, so that a later one pays it. */
const returned: ReadonlySet<string> = new Set(['payout_failure', 'payout_cancel']);

/** Of the payout's own entry only a fee counts, because its amount is what the others pay. */
function otherMinor({ type, source, amount, net }: Balance, payout: string): bigint {
  const isOwn = type === 'payout' && source?.id === payout;
  return BigInt(isOwn ? net - amount : net);
}

/** The entry, if it is about a payment of ours. */
function toEntry(
  call: Call,
  request: ListRequest,
  item: Listed,
): ListedEntry | UnreadablePayment | 'foreign' | 'unreadable' {
  const { source } = item;
  // Stripe's own fees, for example.
  if (source === null || source === undefined) return 'foreign';
  const about: unknown = Reflect.get(Object(source), 'object');
  if (typeof about !== 'string') return 'unreadable';
  const kind = lookUp(kinds, about);
  if (kind === undefined) return 'foreign';
  const owner = ownerOf(call, request, Object(source));
  if (typeof owner === 'string') return owner;
  const { paymentId, account, intent } = owner;
  const openedAt = item.created * secondMs;
  const reference: unknown = Reflect.get(intent, 'id');
  if (typeof reference !== 'string') return 'unreadable';
  const entry = believe(entryShape, item).unwrapOr(undefined);
  if (entry === undefined || !isSum(entry)) return { account, reference, openedAt };
  return {
    account,
    kind,
    paymentId,
    reference: entry.id,
    subject: kind === 'payment' ? reference : entry.source.id,
    currency: entry.currency,
    amountMinor: BigInt(entry.amount),
    ...feesOf(call, kind, entry),
    openedAt,
  };
}

/** Whether the parts of an entry agree, so that no fee is lost. */
function isSum({ amount, fee, net, fee_details, currency }: BalanceEntry): boolean {
  const fees = fee_details.reduce((sum, one) => sum + one.amount, 0);
  const isOneCurrency = fee_details.every((one) => one.currency === currency);
  return net === amount - fee && fees === fee && isOneCurrency;
}

/**
 * The fees that the shop bears. With destination charges Stripe's fee is the platform's, and the
 * platform's own fee stays behind when the rest goes to the shop.
 */
function feesOf(call: Call, kind: SettlementKind, { fee, fee_details, source }: BalanceEntry) {
  if (call.charges === 'destination') {
    const charged = kind === 'payment' ? believe(chargedFeeShape, source) : undefined;
    const asked = charged?.unwrapOr(undefined)?.application_fee_amount ?? 0;
    return { processorFeeMinor: 0n, applicationFeeMinor: BigInt(asked) };
  }
  const applications = fee_details.filter(({ type }) => type === 'application_fee');
  const application = applications.reduce((sum, { amount }) => sum + amount, 0);
  return { processorFeeMinor: BigInt(fee - application), applicationFeeMinor: BigInt(application) };
}

function toPayout({ livemode }: Call, item: Listed): ListedPayout | undefined {
  const payout = believe(payoutShape, item).unwrapOr(undefined);
  const state = lookUp(states, payout?.status ?? '');
  if (payout === undefined || state === undefined || payout.livemode !== livemode) return undefined;
  const { failure_code: failure } = payout;
  return {
    reference: payout.id,
    currency: payout.currency,
    amountMinor: BigInt(payout.amount),
    state,
    ...(failure && { failure }),
    openedAt: item.created * secondMs,
    arrivesAt: payout.arrival_date * secondMs,
    // Stripe never names the entries of a payout that was requested, and those of others after some time.
    isItemized: payout.reconciliation_status === 'completed',
  };
}
