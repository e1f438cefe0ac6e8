import { errAsync, okAsync, type PayoutState, type ResultAsync, secondMs } from '@chairside/core';
import type {
  EntriesPage,
  ListedEntry,
  ListedPage,
  ListedPayout,
  ListRequest,
  OtherEntry,
  ReturnedPayout,
  SettlementKind,
  UnreadablePayment,
} from '@chairside/core/ports';
import { listBooks } from './books-list.ts';
import type { Call } from './connection.ts';
import { type Failure, rejected } from './failure.ts';
import { type List, readPage } from './list.ts';
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
import { lookUp, minorOf } from './tables.ts';

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

/** The changes of the books' balance by our payments; with `payout`, those that it pays. */
export function listEntries(call: Call, request: EntryRequest): ResultAsync<EntriesPage, Failure> {
  if (request.payout !== undefined) return entriesOfPayout(call, request, request.payout);
  return listBooks<ListedEntry | UnreadablePayment | ReturnedPayout>(
    call,
    entriesOf({}),
    request,
    (item) => {
      const returned = toReturned(item);
      if (returned !== undefined) return { ours: returned };
      const entry = toEntry(call, request, item);
      return typeof entry === 'string' ? entry : { ours: entry };
    },
  ).map(({ items, ...page }) => {
    const returned = items.flatMap((item) => ('state' in item ? [item] : []));
    const entries = items.flatMap((item) => ('state' in item ? [] : [item]));
    return { ...apart({ ...page, items: entries }), ...(returned.length > 0 && { returned }) };
  });
}

/** A payout that this entry brings back to the balance, perhaps weeks after it was paid. */
function toReturned(item: Listed): ReturnedPayout | undefined {
  const { type = '', source } = believe(balanceShape, item).unwrapOr(undefined) ?? {};
  const state = lookUp(returned, type);
  return state === undefined || source === undefined ? undefined : { reference: source.id, state };
}

/** The payouts of an account. With destination charges the shops are paid out elsewhere. */
export function listPayouts(
  call: Call,
  request: ListRequest,
): ResultAsync<ListedPage<ListedPayout>, Failure> {
  if (call.charges === 'destination') return okAsync({ items: [] });
  const list: List = (stripe, params, options) => stripe.payouts.list(params, options);
  return listBooks(call, list, request, (item) => {
    const ours = toPayout(call, item);
    return ours === undefined ? 'unreadable' : { ours };
  });
}

const entriesOf =
  (of: { readonly payout?: string }): List =>
  (stripe, params, options) =>
    stripe.balanceTransactions.list({ ...params, ...of, expand }, options);

/** A page of what a payout pays. Stripe lists the payout's own entry with it. */
function entriesOfPayout(
  call: Call,
  request: ListRequest,
  payout: string,
): ResultAsync<EntriesPage, Failure> {
  const { books, limit, cursor } = request;
  if (call.charges === 'destination') return errAsync(rejected('unknownBooks'));
  const list = { call, list: entriesOf({ payout }), account: books };
  return readPage(list, undefined, cursor, Math.min(100, limit)).map(({ items: all, last }) => {
    const items: ListedEntry[] = [];
    const repaid: string[] = [];
    const others: OtherEntry[] = [];
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
      const amountMinor = otherMinor(balance, payout);
      othersMinor += amountMinor;
      // An entry without an id still counts in the sum.
      if (amountMinor !== 0n && item.id) others.push(toOther(item.id, item, balance, amountMinor));
      repaid.push(...repaidBy(balance, payout));
    }
    return { items, othersMinor, others, repaid, ...(last !== undefined && { cursor: last }) };
  });
}

/** Stripe's own charges, whose description names no customer: it says what the charge was for. */
const ownCharge = /(?:_fee|_cost)$/;

function toOther(
  reference: string,
  { created = 0 }: Listed,
  { type: kind = 'other', source, description }: Balance,
  amountMinor: bigint,
): OtherEntry {
  const what = kind.startsWith('payout') ? source?.id : undefined;
  const said = what ?? (ownCharge.test(kind) ? description : undefined);
  const at = created * secondMs;
  return { reference, kind, ...(said !== undefined && { description: said }), amountMinor, at };
}

/** A payout that did not arrive is in the balance again, so that a later one pays it. */
const returned: Readonly<Record<string, ReturnedPayout['state']>> = {
  payout_failure: 'failed',
  payout_cancel: 'canceled',
};

/** The earlier payout that an entry of a payout pays again: it failed, or another one took it back. */
function repaidBy({ type = '', source }: Balance, payout: string): readonly string[] {
  if (source === undefined) return [];
  if (lookUp(returned, type) !== undefined) return [source.id];
  const isOther = type === 'payout' && source.id !== payout;
  return isOther && source.original_payout !== undefined ? [source.original_payout] : [];
}

/** Of the payout's own entry only a fee counts, because its amount is what the others pay. */
function otherMinor(entry: Balance, payout: string): bigint {
  const { type, source, amount, net, currency } = entry;
  // One of the two may be missing.
  const isNamed = type !== undefined || source !== undefined;
  const isOwn = isNamed && (type ?? 'payout') === 'payout' && (source?.id ?? payout) === payout;
  return minorOf(isOwn ? net - amount : net, currency);
}

/** The entry, if it is about a payment of ours. */
function toEntry(
  call: Call,
  request: ListRequest,
  item: Listed,
): ListedEntry | UnreadablePayment | 'foreign' | 'unreadable' {
  const { source } = item;
  // Stripe's own fees, for example.
  if (source === null) return 'foreign';
  const about: unknown = Reflect.get(Object(source), 'object');
  if (typeof about !== 'string') return 'unreadable';
  const kind = lookUp(kinds, about);
  if (kind === undefined) return 'foreign';
  const owner = ownerOf(call, request, Object(source));
  if (typeof owner === 'string') return owner;
  if (item.created === undefined) return 'unreadable';
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
    amountMinor: minorOf(entry.amount, entry.currency),
    ...feesOf(call, kind, entry),
    ...(isOfPlatform(call, kind, entry) && {
      platformMinor: minorOf(entry.amount, entry.currency),
    }),
    openedAt,
  };
}

/**
 * Whether the platform bears this change, and the shop keeps what it was transferred. Of a destination charge
 * only a refund that reversed the transfer takes from the shop; what a failed one gives back, the platform has.
 */
function isOfPlatform(
  { charges }: Call,
  kind: SettlementKind,
  { amount, source }: BalanceEntry,
): boolean {
  if (charges === 'direct' || kind === 'payment') return false;
  const isUnreversed = Reflect.get(source, 'transfer_reversal') === null;
  return kind === 'dispute' || amount > 0 || isUnreversed;
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
function feesOf(call: Call, kind: SettlementKind, entry: BalanceEntry) {
  const { currency, fee, fee_details, source } = entry;
  if (call.charges === 'destination') {
    const charged = kind === 'payment' ? believe(chargedFeeShape, source) : undefined;
    const asked = charged?.unwrapOr(undefined)?.application_fee_amount ?? 0;
    return { processorFeeMinor: 0n, applicationFeeMinor: minorOf(asked, currency) };
  }
  const applications = fee_details.filter(({ type }) => type === 'application_fee');
  const application = applications.reduce((sum, { amount }) => sum + amount, 0);
  return {
    processorFeeMinor: minorOf(fee - application, currency),
    applicationFeeMinor: minorOf(application, currency),
  };
}

function toPayout({ livemode }: Call, item: Listed): ListedPayout | undefined {
  const { created } = item;
  const payout = believe(payoutShape, item).unwrapOr(undefined);
  const state = lookUp(states, payout?.status ?? '');
  if (payout === undefined || state === undefined || created === undefined) return undefined;
  const {
    failure_code: failure,
    livemode: mode = livemode,
    arrival_date: arrival = created,
    original_payout: takesBack,
  } = payout;
  if (mode !== livemode) return undefined;
  // One that was taken back from the bank stays `paid` at Stripe.
  const isReversed = state === 'paid' && payout.reversed_by !== undefined;
  return {
    reference: payout.id,
    currency: payout.currency,
    amountMinor: minorOf(payout.amount, payout.currency),
    state: isReversed ? 'reversed' : state,
    ...(takesBack !== undefined && { takesBack }),
    ...(failure && { failure }),
    openedAt: created * secondMs,
    arrivesAt: arrival * secondMs,
    // Stripe never names the entries of a payout that was requested, and those of others after some time.
    isItemized: payout.reconciliation_status === 'completed',
  };
}
