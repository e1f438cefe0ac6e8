import {
  type EpochMs,
  err,
  hourMs,
  type ListRequest,
  ok,
  type Result,
  type ResultAsync,
  safeTry,
  secondMs,
} from '@chairside/core';
import { type Call, type CallOptions, platformLedger, scopeOf } from './connection.ts';
import { type Failure, rejected } from './failure.ts';
import { type ListPage, listSpan, readPage } from './list.ts';
import type { Listed } from './shapes.ts';

/** An item of a ledger's list; without `ours` it cannot be read, so it may be ours or not. */
interface LedgerItem<T> {
  readonly id: string;
  readonly created: number;
  readonly ours?: T;
}

/** Judges an item: ours, of another system (`foreign`), or not readable. */
export type Judge<T> = (item: Listed) => { readonly ours: T } | 'foreign' | 'unreadable';

/** A page of a ledger's list, oldest first. */
export interface LedgerPage<T> {
  readonly items: readonly LedgerItem<T>[];
  readonly at?: EpochMs;
  readonly cursor?: string;
}

/** A slice that was read in one page is followed by one of twice its length. */
const firstSliceMs = hourMs;
/** A slice with more pages is given up for a shorter one. */
const pagesPerSlice = 3;
/** Stripe counts whole seconds. */
const minSliceMs = secondMs;

/**
 * A page of our items in a ledger, oldest first (D51). Stripe lists newest first, so the span is
 * read in slices, from its beginning: long ones where the ledger is quiet, short ones where it is busy.
 * A second with very many objects is read page by page. When the time is over, the page ends there.
 */
export function listLedger<T>(
  call: Call,
  listPage: ListPage,
  scope: CallOptions,
  request: ListRequest,
  judge: Judge<T>,
): ResultAsync<LedgerPage<T>, Failure> {
  const { openedFrom, openedBefore, limit } = request;
  const keep = (item: Listed): LedgerItem<T> | undefined => {
    const judged = judge(item);
    if (judged === 'foreign') return undefined;
    const { id, created } = item;
    return judged === 'unreadable' ? { id, created } : { id, created, ...judged };
  };
  return safeTry(async function* () {
    const start = yield* readCursor(request);
    if (start.sliceMs === 0) return readSecond(call, listPage, scope, request, start, keep);
    const begin = Math.max(openedFrom, start.created * secondMs);
    let { sliceMs } = start;
    let from = begin;
    let at: EpochMs | undefined;
    const items: LedgerItem<T>[] = [];
    while (from < openedBefore && items.length <= limit) {
      const to = Math.min(openedBefore, from + sliceMs);
      const read = await listSpan(call, listPage, scope, span(from, to), keep, pagesPerSlice);
      // The time is over. The slices that were read are returned as a page.
      if (read.isErr()) {
        if (from === begin && sliceMs === start.sliceMs) return err(read.error);
        break;
      }
      const { kept, pages, cutAt } = read.value;
      at = read.value.at ?? at;
      if (cutAt !== undefined) {
        const isSecond = to - from <= minSliceMs;
        if (isSecond && from > begin) break;
        if (isSecond) {
          const crowded = { created: secondOf(from), id: '', sliceMs: 0 };
          return readSecond(call, listPage, scope, request, crowded, keep);
        }
        // So many pages reach back to this time: half of that is likely to fit.
        sliceMs = Math.max(minSliceMs, Math.floor((to - cutAt) / 2 / secondMs) * secondMs);
        continue;
      }
      items.push(...kept.filter((item) => isAfter(item, start)).sort(byAge));
      from = to;
      if (pages === 1) sliceMs *= 2;
    }
    const last = items.length > limit ? items[limit - 1] : undefined;
    const reached = from === begin ? start : { created: secondOf(from), id: '' };
    const end = last ?? (from < openedBefore ? reached : undefined);
    return ok(toPage(items.slice(0, limit), at, end && { ...end, sliceMs }));
  });
}

/** Reads one page of a second that holds too many objects for one call, newest first. */
function readSecond<T>(
  call: Call,
  listPage: ListPage,
  scope: CallOptions,
  { limit, openedBefore }: ListRequest,
  { created, id }: Position,
  keep: (item: Listed) => LedgerItem<T> | undefined,
): ResultAsync<LedgerPage<T>, Failure> {
  const second = { gte: created, lt: created + 1 };
  const after = id === '' ? undefined : id;
  const options = { created: second, limit: Math.min(100, limit), after };
  return readPage(call, listPage, scope, options).map(({ items, last, at }) => {
    const isOver = (created + 1) * secondMs >= openedBefore;
    const next = isOver ? undefined : { created: created + 1, id: '', sliceMs: minSliceMs };
    const end = last === undefined ? next : { created, id: last.id, sliceMs: 0 };
    return toPage(
      items.flatMap((item) => keep(item) ?? []),
      at,
      end,
    );
  });
}

/** Where a ledger is read. */
export function ledgerScope(call: Call, ledger: string): Result<CallOptions, Failure> {
  if (call.charges === 'direct') return scopeOf(call, ledger);
  return ledger === platformLedger ? ok({}) : err(rejected('unknownLedger'));
}

/** Stripe counts whole seconds, and so do the times that we report as opened. */
function span(from: EpochMs, before: EpochMs) {
  return { gte: secondOf(from), lt: secondOf(before) };
}

function secondOf(at: EpochMs): number {
  return Math.ceil(at / secondMs);
}

/** An item, or the beginning of a second if the id is empty. */
type Place = Pick<LedgerItem<unknown>, 'id' | 'created'>;

/** Where a page begins. The slice's length is 0 within a second that is read page by page. */
interface Position extends Place {
  readonly sliceMs: number;
}

function readCursor({ cursor }: ListRequest): Result<Position, Failure> {
  if (cursor === undefined) return ok({ created: 0, id: '', sliceMs: firstSliceMs });
  const [, created, seconds, id] = /^(\d{1,12}):(\d{1,9}):(.{0,255})$/s.exec(cursor) ?? [];
  if (id === undefined) return err(rejected('invalidCursor'));
  return ok({ created: Number(created), id, sliceMs: Number(seconds) * secondMs });
}

function byAge(a: Place, b: Place): number {
  return a.created - b.created || (a.id < b.id ? -1 : 1);
}

function isAfter(item: Place, { created, id }: Position): boolean {
  return byAge({ created, id }, item) < 0;
}

function toPage<T>(
  items: readonly LedgerItem<T>[],
  at: EpochMs | undefined,
  end: Position | undefined,
): LedgerPage<T> {
  return {
    items,
    ...(at !== undefined && { at }),
    ...(end !== undefined && { cursor: `${end.created}:${end.sliceMs / secondMs}:${end.id}` }),
  };
}
