import {
  type EpochMs,
  type ListedPage,
  type ListedPayment,
  type ListRequest,
  type ResultAsync,
  secondMs,
  type UnreadablePayment,
} from '@chairside/core';
import type { Call } from './connection.ts';
import type { Failure } from './failure.ts';
import { toLedgerEntry } from './ledger.ts';
import { type LedgerPage, ledgerScope, listLedger } from './ledger-list.ts';
import type { ListPage, Marked } from './list.ts';
import { isMarked, ledgerMarks, metadataOf, paymentMarks } from './marks.ts';
import { believe, intentShape, type Listed } from './shapes.ts';

/** Includes the charges, so that a payment looks the same as when it is read. */
const listIntents: ListPage = (stripe, params, options) =>
  stripe.paymentIntents.list({ ...params, expand: ['data.latest_charge'] }, options);

/** The ledger's payments with our mark, oldest first. */
export function listPayments(
  call: Call,
  request: ListRequest,
): ResultAsync<ListedPage<ListedPayment>, Failure> {
  const marks = ledgerMarks(call, request);
  const judge = (item: Listed) => {
    const metadata = metadataOf(item);
    if (metadata === undefined) return 'unreadable';
    return isMarked(metadata, marks) ? { ours: { ...item, metadata } } : 'foreign';
  };
  return ledgerScope(call, request.ledger)
    .asyncAndThen((scope) => listLedger(call, listIntents, scope, request, judge))
    .map((page) => toPayments(call, request, page));
}

/** An unreadable payment is listed apart, so that it does not hide the others (D43). */
function toPayments(
  call: Call,
  { ledger }: ListRequest,
  { items, at, cursor }: LedgerPage<Marked>,
): ListedPage<ListedPayment> {
  const shown: ListedPayment[] = [];
  const unreadable: UnreadablePayment[] = [];
  const skipped: string[] = [];
  for (const { id, ours } of items) {
    if (ours === undefined) skipped.push(id);
    else {
      const payment = toPayment(call, ledger, ours, at);
      if ('paymentId' in payment) shown.push(payment);
      else unreadable.push(payment);
    }
  }
  return {
    items: shown,
    ...(unreadable.length > 0 && { unreadable }),
    ...(skipped.length > 0 && { skipped }),
    ...(at !== undefined && { at }),
    ...(cursor !== undefined && { cursor }),
  };
}

function toPayment(
  call: Call,
  ledger: string,
  item: Marked,
  at: EpochMs | undefined,
): ListedPayment | UnreadablePayment {
  const openedAt = item.created * secondMs;
  const { paymentId, account = ledger } = paymentMarks(item.metadata) ?? {};
  const entry = believe(intentShape, item).andThen((intent) =>
    toLedgerEntry(call, account, intent),
  );
  if (entry.isErr() || paymentId === undefined) {
    return { account, reference: item.id, openedAt };
  }
  return { ...entry.value, ...(at !== undefined && { at }), paymentId, openedAt };
}
