import {
  type ListedPage,
  type ListedReturn,
  type ListRequest,
  type ResultAsync,
  secondMs,
} from '@chairside/core';
import type { Call } from './connection.ts';
import type { Failure } from './failure.ts';
import { type Judge, ledgerScope, listLedger } from './ledger-list.ts';
import type { ListPage } from './list.ts';
import { isMarked, ledgerMarks, metadataOf, paymentMarks } from './marks.ts';

/** The marks are on the intent: a refund of the dashboard and a dispute have none. */
const expand = ['data.payment_intent'];

const listRefunds: ListPage = (stripe, params, options) =>
  stripe.refunds.list({ ...params, expand }, options);

const listDisputes: ListPage = (stripe, params, options) =>
  stripe.disputes.list({ ...params, expand }, options);

/** The refunds of our payments in a ledger. */
export function listRecentRefunds(call: Call, request: ListRequest) {
  return listReturned(call, request, listRefunds);
}

/** The disputes of our payments in a ledger. */
export function listRecentDisputes(call: Call, request: ListRequest) {
  return listReturned(call, request, listDisputes);
}

function listReturned(
  call: Call,
  request: ListRequest,
  listPage: ListPage,
): ResultAsync<ListedPage<ListedReturn>, Failure> {
  const marks = ledgerMarks(call, request);
  const judge: Judge<string> = ({ payment_intent: intent }) => {
    // A payment without an intent is not ours.
    if (intent === null || intent === undefined) return 'foreign';
    const metadata = typeof intent === 'object' ? metadataOf(intent) : undefined;
    if (metadata === undefined) return 'unreadable';
    const { paymentId } = paymentMarks(metadata) ?? {};
    const isOurs = paymentId !== undefined && isMarked(metadata, marks);
    return isOurs ? { ours: paymentId } : 'foreign';
  };
  return ledgerScope(call, request.ledger)
    .asyncAndThen((scope) => listLedger(call, listPage, scope, request, judge))
    .map(({ items, ...page }) => {
      const skipped = items.filter(({ ours }) => ours === undefined).map(({ id }) => id);
      return {
        ...page,
        items: items.flatMap(({ ours: paymentId, created }) =>
          paymentId === undefined ? [] : [{ paymentId, openedAt: created * secondMs }],
        ),
        ...(skipped.length > 0 && { skipped }),
      };
    });
}
