import { type ResultAsync, secondMs } from '@chairside/core';
import type {
  ListedPage,
  ListedPayment,
  ListedReturn,
  ListRequest,
  UnreadablePayment,
} from '@chairside/core/ports';
import { listBooks } from './books-list.ts';
import type { Call } from './connection.ts';
import { toEntry } from './entry.ts';
import type { Failure } from './failure.ts';
import type { List } from './list.ts';
import {
  isMarked,
  type Metadata,
  markNames,
  metadataOf,
  type PaymentMarks,
  paymentMarks,
  visitMarks,
} from './marks.ts';
import { believe, intentShape, type Listed } from './shapes.ts';

/** The books' payments with our mark, oldest first. */
export function listPayments(
  call: Call,
  request: ListRequest,
): ResultAsync<ListedPage<ListedPayment>, Failure> {
  const marks = marksOf(call, request);
  // Includes the charges, so that a payment looks the same as when it is read.
  const expand = ['data.latest_charge.balance_transaction'];
  const list: List = (stripe, params, options) =>
    stripe.paymentIntents.list({ ...params, expand }, options);
  return listBooks(call, list, request, (item) => {
    const metadata = metadataOf(item);
    if (metadata === undefined) return 'unreadable';
    if (!isMarked(metadata, marks)) return 'foreign';
    return toPayment(call, request.books, item, metadata);
  })
    .map(apart)
    .map((page) => {
      const { at } = page;
      if (at === undefined) return page;
      return { ...page, items: page.items.map((payment) => ({ ...payment, at })) };
    });
}

/** Lists those that cannot be read apart from the others. */
export function apart<T extends { readonly paymentId: string }>({
  items,
  ...page
}: ListedPage<T | UnreadablePayment>): ListedPage<T> {
  const unreadable = items.flatMap((item) => ('paymentId' in item ? [] : [item]));
  return {
    ...page,
    items: items.flatMap((item) => ('paymentId' in item ? [item] : [])),
    ...(unreadable.length > 0 && { unreadable }),
  };
}

/** An unreadable payment is listed apart, so that it does not hide the others (D43). */
function toPayment(
  call: Call,
  books: string,
  item: Listed,
  metadata: Metadata,
): { readonly ours: ListedPayment | UnreadablePayment } | 'unreadable' {
  const { id: reference, created } = item;
  if (reference === undefined || created === undefined) return 'unreadable';
  const openedAt = created * secondMs;
  const { paymentId, account = books } = paymentMarks(metadata) ?? {};
  const entry = believe(intentShape, item).andThen((intent) => toEntry(call, account, intent));
  if (entry.isErr() || paymentId === undefined) return { ours: { account, reference, openedAt } };
  const visit = visitMarks(metadata);
  return { ours: { ...entry.value, paymentId, openedAt, ...(visit !== undefined && { visit }) } };
}

/** The marks are on the intent: a refund of the dashboard and a dispute have none. */
const expand = ['data.payment_intent'];

export function listRecentRefunds(call: Call, request: ListRequest) {
  return listReturned(call, request, (stripe, params, options) =>
    stripe.refunds.list({ ...params, expand }, options),
  );
}

export function listRecentDisputes(call: Call, request: ListRequest) {
  return listReturned(call, request, (stripe, params, options) =>
    stripe.disputes.list({ ...params, expand }, options),
  );
}

function listReturned(
  call: Call,
  request: ListRequest,
  list: List,
): ResultAsync<ListedPage<ListedReturn>, Failure> {
  return listBooks(call, list, request, (item) => {
    const owner = ownerOf(call, request, item);
    if (typeof owner === 'string') return owner;
    if (item.created === undefined) return 'unreadable';
    return { ours: { paymentId: owner.paymentId, openedAt: item.created * secondMs } };
  });
}

/** The payment of ours that an object is about, by the marks of its intent. */
export function ownerOf(
  call: Call,
  request: ListRequest,
  { payment_intent: intent }: Readonly<Record<string, unknown>>,
): (PaymentMarks & { readonly intent: object }) | 'foreign' | 'unreadable' {
  // A payment without an intent is not ours. One that does not say may be.
  if (intent === null) return 'foreign';
  const metadata = typeof intent === 'object' ? metadataOf(intent) : undefined;
  if (metadata === undefined || typeof intent !== 'object') return 'unreadable';
  const marks = paymentMarks(metadata);
  const isOurs = marks !== undefined && isMarked(metadata, marksOf(call, request));
  return isOurs ? { ...marks, intent } : 'foreign';
}

/** The marks of our payments in the books. */
function marksOf({ charges }: Call, { books, installation }: ListRequest): Metadata {
  const marks = { [markNames.installation]: installation };
  return charges === 'direct' ? { ...marks, [markNames.account]: books } : marks;
}
