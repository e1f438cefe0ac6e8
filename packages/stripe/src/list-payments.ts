import {
  type EpochMs,
  err,
  hourMs,
  type ListedPayment,
  type ListedPayments,
  type ListPaymentsRequest,
  ok,
  type Result,
  type ResultAsync,
  safeTry,
  secondMs,
  type UnreadablePayment,
} from '@chairside/core';
import { type Call, type CallOptions, platformLedger, scopeOf } from './connection.ts';
import { type Failure, rejected } from './failure.ts';
import { toLedgerEntry } from './ledger.ts';
import { type Listed, type ListPage, listMarked } from './list.ts';
import { type Metadata, markNames, paymentMarks } from './marks.ts';
import { believe, intentShape } from './shapes.ts';

/** Includes the charges, so that a payment looks the same as when it is read. */
const listIntents: ListPage = (stripe, params, options) =>
  stripe.paymentIntents.list({ ...params, expand: ['data.latest_charge'] }, options);

/** A slice that was read in one page is followed by one of twice its length. */
const firstSliceMs = hourMs;
/** A slice with more pages is given up for a shorter one, unless it is the shortest. */
const pagesPerSlice = 3;
/** Stripe counts whole seconds. */
const minSliceMs = secondMs;

/**
 * The ledger's payments with our mark, oldest first. Stripe lists newest first, so the span is read in
 * slices, from its beginning: long ones where the ledger is quiet, short ones where it is busy. Each
 * slice that was read whole is progress, also without a payment of ours in it.
 */
export function listPayments(
  call: Call,
  request: ListPaymentsRequest,
): ResultAsync<ListedPayments, Failure> {
  const { ledger, installation, openedBefore, limit } = request;
  return safeTry(async function* () {
    const { scope, marks } = yield* ledgerScope(call, ledger, installation);
    const after = yield* readCursor(request.cursor);
    const begin = Math.max(request.openedFrom, (after?.created ?? 0) * secondMs);
    const items: Listed[] = [];
    let at: EpochMs | undefined;
    let from = begin;
    let sliceMs = firstSliceMs;
    while (from < openedBefore && items.length <= limit) {
      const to = Math.min(openedBefore, from + sliceMs);
      const maxPages = sliceMs > minSliceMs ? pagesPerSlice : undefined;
      const listed = await listMarked(call, listIntents, scope, span(from, to), marks, maxPages);
      if (listed.isErr()) {
        // The time is over. The slices that were read are returned as a page.
        if (from === begin) return err(listed.error);
        break;
      }
      const { ours, pages, cutAt } = listed.value;
      at = listed.value.at ?? at;
      if (cutAt !== undefined) {
        // So many pages reach back to this time: half of that is likely to fit.
        sliceMs = atLeastOneSecond((to - cutAt) / 2);
        continue;
      }
      items.push(...ours.filter((item) => isAfter(item, after)).sort(byAge));
      from = to;
      if (pages === 1) sliceMs *= 2;
    }
    return ok(toPage(call, ledger, items.slice(0, limit), at, whereItEnds(items, from, request)));
  });
}

/** Where a ledger is read, and by which marks. */
export function ledgerScope(
  call: Call,
  ledger: string,
  installation: string,
): Result<{ readonly scope: CallOptions; readonly marks: Metadata }, Failure> {
  const marks = { [markNames.installation]: installation };
  if (call.charges === 'destination') {
    return ledger === platformLedger ? ok({ scope: {}, marks }) : err(rejected('unknownLedger'));
  }
  const scoped = { ...marks, [markNames.account]: ledger };
  return scopeOf(call, ledger).map((scope) => ({ scope, marks: scoped }));
}

function atLeastOneSecond(ms: number): number {
  return Math.max(minSliceMs, Math.floor(ms / secondMs) * secondMs);
}

/** Stripe counts whole seconds, and so do the times that we report as opened. */
function span(from: EpochMs, before: EpochMs) {
  return { gte: Math.ceil(from / 1000), lt: Math.ceil(before / 1000) };
}

/** A payment, or the beginning of a second if no id is given. */
interface Position {
  readonly created: number;
  readonly id: string;
}

function readCursor(cursor: string | undefined): Result<Position | undefined, Failure> {
  if (cursor === undefined) return ok(undefined);
  const [, created, id] = /^(\d{1,12}):((?:pi_\w+)?)$/.exec(cursor) ?? [];
  return id === undefined ? err(rejected('invalidCursor')) : ok({ created: Number(created), id });
}

function byAge(a: Position, b: Position): number {
  return a.created - b.created || (a.id < b.id ? -1 : 1);
}

function isAfter(item: Position, position: Position | undefined): boolean {
  return position === undefined || byAge(position, item) < 0;
}

/** The position after this page, if more may follow. */
function whereItEnds(
  items: readonly Listed[],
  readBefore: EpochMs,
  { limit, openedBefore }: ListPaymentsRequest,
): Position | undefined {
  const last = items[limit - 1];
  if (last !== undefined && items.length > limit) return last;
  if (readBefore >= openedBefore) return undefined;
  return { created: Math.ceil(readBefore / secondMs), id: '' };
}

/** An unreadable payment is listed apart, so that it does not hide the others (D43). */
function toPage(
  call: Call,
  ledger: string,
  items: readonly Listed[],
  at: EpochMs | undefined,
  end: Position | undefined,
): ListedPayments {
  const shown: ListedPayment[] = [];
  const unreadable: UnreadablePayment[] = [];
  const answered = at === undefined ? {} : { at };
  for (const item of items) {
    const openedAt = item.created * secondMs;
    const { paymentId, account = ledger } = paymentMarks(item.metadata) ?? {};
    const entry = believe(intentShape, item).andThen((i) => toLedgerEntry(call, account, i));
    if (entry.isOk() && paymentId !== undefined) {
      shown.push({ ...entry.value, ...answered, paymentId, openedAt });
    } else unreadable.push({ account, reference: item.id, openedAt });
  }
  return {
    items: shown,
    ...(unreadable.length > 0 && { unreadable }),
    ...answered,
    ...(end !== undefined && {
      readBefore: end.created * secondMs,
      cursor: `${end.created}:${end.id}`,
    }),
  };
}
