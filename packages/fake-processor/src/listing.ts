import { err, type ListRequest, ok, type Result } from '@chairside/core';
import type { Entry } from './entry.ts';
import { rejections } from './errors.ts';

/** A payment in a list, or one of its refunds or disputes. */
export interface ListedEntry {
  readonly entry: Entry;
  readonly openedAt: number;
}

export interface Page {
  readonly found: readonly ListedEntry[];
  readonly cursor?: string;
}

/** An item's place in a listing: its time of opening, then its place in the ledger. */
type Place = readonly [openedAt: number, index: number];

/**
 * One page, oldest first. The cursor is the place of the page's last item, so an item that is
 * opened between two pages is neither lost nor listed twice.
 * @param all the whole ledger, in an order that never changes for what it holds already.
 */
export function pageOf(all: readonly ListedEntry[], request: ListRequest): Result<Page, string> {
  const { ledger, installation, openedFrom, openedBefore, limit } = request;
  if (limit < 1) return err(rejections.limitNotPositive);
  const after = readCursor(request.cursor);
  if (after === undefined) return err(rejections.unknownCursor);
  const found = all
    .map((item, index) => ({ item, place: [item.openedAt, index] as const }))
    .filter(
      ({ item: { entry, openedAt }, place }) =>
        entry.account === ledger &&
        entry.installation === installation &&
        openedAt >= openedFrom &&
        openedAt < openedBefore &&
        compare(place, after) > 0,
    )
    .sort((a, b) => compare(a.place, b.place));
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return ok({
    found: page.map(({ item }) => item),
    ...(last !== undefined && found.length > limit && { cursor: last.place.join('.') }),
  });
}

const beforeAll: Place = [Number.NEGATIVE_INFINITY, 0];

function readCursor(cursor: string | undefined): Place | undefined {
  if (cursor === undefined) return beforeAll;
  const [, openedAt, index] = /^(-?\d{1,16})\.(\d{1,9})$/.exec(cursor) ?? [];
  return openedAt === undefined ? undefined : [Number(openedAt), Number(index)];
}

function compare([atA, indexA]: Place, [atB, indexB]: Place): number {
  return atA - atB || indexA - indexB;
}
