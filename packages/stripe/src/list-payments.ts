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
import { type Call, scopeOf } from './connection.ts';
import { type Failure, rejected } from './failure.ts';
import { toLedgerEntry } from './ledger.ts';
import { type Listed, type ListPage, listMarked } from './list.ts';
import { markNames, paymentMarks } from './marks.ts';
import { believe, intentShape } from './shapes.ts';

/** With its charges, so that a payment shows as it does when it is read. */
const listIntents: ListPage = (stripe, params, options) =>
  stripe.paymentIntents.list({ ...params, expand: ['data.latest_charge'] }, options);

/** A span that was read in one page is followed by one of twice its length. */
const firstSliceMs = hourMs;

/**
 * The account's payments with our mark, oldest first. Stripe lists newest first, so the span is
 * read in slices, from its beginning: short ones at first, longer ones where little is found.
 */
export function listPayments(
  call: Call,
  request: ListPaymentsRequest,
): ResultAsync<ListedPayments, Failure> {
  const { account, installation, openedFrom, openedBefore, limit } = request;
  const marks = { [markNames.account]: account, [markNames.installation]: installation };
  return safeTry(async function* () {
    const scope = yield* scopeOf(call, account);
    const after = yield* readCursor(request.cursor);
    const items: Listed[] = [];
    let at: EpochMs | undefined;
    let from = Math.max(openedFrom, (after?.created ?? 0) * secondMs);
    let sliceMs = firstSliceMs;
    while (from < openedBefore && items.length <= limit) {
      const to = Math.min(openedBefore, from + sliceMs);
      const listed = await listMarked(call, listIntents, scope, span(from, to), marks);
      if (listed.isErr()) {
        // Out of time: what was found is a page all the same. Nothing found is no page.
        if (items.length === 0) return err(listed.error);
        return ok(toPage(call, account, { items: items.slice(0, limit), hasMore: true, at }));
      }
      const { ours, isOnePage } = listed.value;
      at = listed.value.at ?? at;
      items.push(...ours.filter((item) => isAfter(item, after)).sort(byAge));
      from = to;
      sliceMs = isOnePage ? sliceMs * 2 : firstSliceMs;
    }
    const page = { items: items.slice(0, limit), hasMore: items.length > limit, at };
    return ok(toPage(call, account, page));
  });
}

/** Stripe counts whole seconds, and so do the times at which we say something was opened. */
function span(from: EpochMs, before: EpochMs) {
  return { gte: Math.ceil(from / 1000), lt: Math.ceil(before / 1000) };
}

interface Position {
  readonly created: number;
  readonly id: string;
}

function readCursor(cursor: string | undefined): Result<Position | undefined, Failure> {
  if (cursor === undefined) return ok(undefined);
  const [, created, id] = /^(\d{1,12}):(pi_\w+)$/.exec(cursor) ?? [];
  return id === undefined ? err(rejected('invalidCursor')) : ok({ created: Number(created), id });
}

function byAge(a: Position, b: Position): number {
  return a.created - b.created || (a.id < b.id ? -1 : 1);
}

function isAfter(item: Position, position: Position | undefined): boolean {
  return position === undefined || byAge(position, item) < 0;
}

interface Page {
  readonly items: readonly Listed[];
  readonly hasMore: boolean;
  readonly at: EpochMs | undefined;
}

/** A payment that cannot be read is listed apart, so that it does not hide the others (D43). */
function toPage(call: Call, account: string, { items, hasMore, at }: Page): ListedPayments {
  const shown: ListedPayment[] = [];
  const unreadable: UnreadablePayment[] = [];
  const answered = at === undefined ? {} : { at };
  for (const item of items) {
    const openedAt = item.created * secondMs;
    const paymentId = paymentMarks(item.metadata)?.paymentId;
    const entry = believe(intentShape, item).andThen((i) => toLedgerEntry(call, account, i));
    if (entry.isErr() || paymentId === undefined) unreadable.push({ reference: item.id, openedAt });
    else shown.push({ ...entry.value, ...answered, paymentId, openedAt });
  }
  const last = items.at(-1);
  return {
    items: shown,
    ...(unreadable.length > 0 && { unreadable }),
    ...answered,
    ...(hasMore && last !== undefined && { cursor: `${last.created}:${last.id}` }),
  };
}
