import { type EpochMs, err, ok, type Result } from '@chairside/core';
import type { ListedPage, ListRequest } from '@chairside/core/ports';
import type { Entry } from './entry.ts';
import type { Rejection } from './errors.ts';

/** A payment, a refund or a dispute. */
export interface Made {
  readonly createdAt: EpochMs;
}

/** An item of a list, with its payment. */
export interface Opened {
  readonly entry: Entry;
  readonly openedAt: EpochMs;
}

/** An item's place in a list: its time of opening, then its place in the books. */
type Place = readonly [openedAt: EpochMs, index: number];

/**
 * One page, oldest first. The cursor is the place of the page's last item, so an item that is
 * opened between two pages is neither lost nor listed twice.
 * @param entries the whole books, in an order that never changes for what they hold already.
 * @param openedIn the payment itself, its refunds or its disputes.
 * @param show called only for the items of the page.
 */
export function pageOf<T>(
  entries: readonly Entry[],
  { books, installation, openedFrom, openedBefore, limit, cursor }: ListRequest,
  openedIn: (entry: Entry) => readonly Made[],
  show: (opened: Opened) => readonly T[],
): Result<ListedPage<T>, Rejection> {
  if (limit < 1) return err('limitNotPositive');
  const after = readCursor(cursor);
  if (after === undefined) return err('unknownCursor');
  const found = entries
    .flatMap((entry) => openedIn(entry).map(({ createdAt }) => ({ entry, openedAt: createdAt })))
    .map((opened, index) => ({ ...opened, place: [opened.openedAt, index] as const }))
    .filter(
      ({ entry, openedAt, place }) =>
        entry.account === books &&
        entry.installation === installation &&
        openedAt >= openedFrom &&
        openedAt < openedBefore &&
        compare(place, after) > 0,
    )
    .sort((a, b) => compare(a.place, b.place));
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  return ok({
    items: page.flatMap(show),
    ...(last !== undefined && { cursor: last.place.join('.') }),
  });
}

function readCursor(cursor: string | undefined): Place | undefined {
  if (cursor === undefined) return [Number.NEGATIVE_INFINITY, 0];
  const [, openedAt, index] = /^(-?\d{1,16})\.(\d{1,9})$/.exec(cursor) ?? [];
  return openedAt === undefined ? undefined : [Number(openedAt), Number(index)];
}

function compare([atA, indexA]: Place, [atB, indexB]: Place): number {
  return atA - atB || indexA - indexB;
}
