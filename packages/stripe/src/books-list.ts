import {
  type EpochMs,
  err,
  hourMs,
  ok,
  type Result,
  type ResultAsync,
  safeTry,
  secondMs,
} from '@chairside/core';
import type { ListedPage, ListRequest } from '@chairside/core/ports';
import { type Call, platformBooks } from './connection.ts';
import { type Failure, rejected } from './failure.ts';
import { type List, type ListIn, readPage, readSpan } from './list.ts';
import type { Listed } from './shapes.ts';

/** Judges an item: ours, of another system (`foreign`), or not readable. */
export type Judge<T> = (item: Listed) => { readonly ours: T } | 'foreign' | 'unreadable';

/** Where a page begins: after an item, or with a second if the id is empty. */
interface Position {
  readonly created: number;
  readonly id: string;
  /** The slice's length; 0 within a second that is read page by page. */
  readonly sliceMs: number;
}

type Place = Pick<Position, 'created' | 'id'>;

/** An item of the books' list; without `ours` it cannot be read, so it may be ours or not. */
interface Item<T> extends Place {
  readonly ours?: T;
  /** It does not tell its time, so its place is where the reading began. */
  readonly isUndated?: boolean;
}

/** A slice that was read in one page is followed by one of twice its length. */
const firstSliceMs = hourMs;
/** A slice with more pages is given up for a shorter one. */
const pagesPerSlice = 3;
/** Stripe counts whole seconds. */
const minSliceMs = secondMs;

/**
 * A page of our items in the books, oldest first (D51). Stripe lists newest first, so the span is
 * read in slices, from its beginning: long ones where the books are quiet, short ones where they are busy.
 * A second with very many objects is read page by page. When the time is over, the page ends there.
 */
export function listBooks<T>(
  call: Call,
  list: List,
  request: ListRequest,
  judge: Judge<T>,
): ResultAsync<ListedPage<T>, Failure> {
  const { books, openedFrom, openedBefore, limit } = request;
  const { charges } = call;
  const listed: ListIn = { call, list, account: charges === 'direct' ? books : undefined };
  const keepFrom =
    (second: number) =>
    (item: Listed): Item<T> | undefined => {
      const judged = judge(item);
      if (judged === 'foreign') return undefined;
      const { id = '', created } = item;
      if (created === undefined) return { id, created: second, isUndated: true };
      return judged === 'unreadable' || id === '' ? { id, created } : { id, created, ...judged };
    };
  return safeTry(async function* () {
    if (charges === 'destination' && books !== platformBooks) {
      return err(rejected('unknownBooks'));
    }
    const start = yield* readCursor(request);
    if (start.sliceMs === 0) return readSecond(listed, request, start, keepFrom(start.created));
    const begin = Math.max(openedFrom, start.created * secondMs);
    let { sliceMs } = start;
    let from = begin;
    let at: EpochMs | undefined;
    const items: Item<T>[] = [];
    while (from < openedBefore && items.length <= limit) {
      const to = Math.min(openedBefore, from + sliceMs);
      const read = await readSpan(listed, span(from, to), keepFrom(secondOf(from)), pagesPerSlice);
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
          const place = { created: secondOf(from), id: '' };
          return readSecond(listed, request, place, keepFrom(place.created));
        }
        // So many pages reach back to this time: half of that is likely to fit.
        sliceMs = Math.max(minSliceMs, Math.floor((to - cutAt) / 2 / secondMs) * secondMs);
        continue;
      }
      items.push(...kept.filter((item) => byAge(start, item) < 0).sort(byAge));
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
  list: ListIn,
  { limit, openedBefore }: ListRequest,
  { created, id }: Place,
  keep: (item: Listed) => Item<T> | undefined,
): ResultAsync<ListedPage<T>, Failure> {
  const second = { gte: created, lt: created + 1 };
  const after = id === '' ? undefined : id;
  return readPage(list, second, after, Math.min(100, limit)).map(({ items, last, at }) => {
    const isOver = (created + 1) * secondMs >= openedBefore;
    const next = isOver ? undefined : { created: created + 1, id: '', sliceMs: minSliceMs };
    const end = last === undefined ? next : { created, id: last, sliceMs: 0 };
    const kept = items.flatMap((item) => keep(item) ?? []);
    return toPage(kept, at, end);
  });
}

/** Stripe counts whole seconds, and so do the times that we report as opened. */
function span(from: EpochMs, before: EpochMs) {
  return { gte: secondOf(from), lt: secondOf(before) };
}

function secondOf(at: EpochMs): number {
  return Math.ceil(at / secondMs);
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

function toPage<T>(
  items: readonly Item<T>[],
  at: EpochMs | undefined,
  end: Position | undefined,
): ListedPage<T> {
  const skipped = items
    .filter(({ ours }) => ours === undefined)
    .map(({ id, created, isUndated }) => ({
      reference: id,
      ...(isUndated !== true && { openedAt: created * secondMs }),
    }));
  return {
    items: items.flatMap(({ ours }) => ours ?? []),
    ...(skipped.length > 0 && { skipped }),
    ...(at !== undefined && { at }),
    ...(end !== undefined && { cursor: `${end.created}:${end.sliceMs / secondMs}:${end.id}` }),
  };
}
