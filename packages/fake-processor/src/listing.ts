import { err, type ListPaymentsRequest, ok, type Result } from '@chairside/core';
import type { Entry } from './entry.ts';
import { rejections } from './errors.ts';

export interface Page {
  readonly references: readonly string[];
  readonly cursor?: string;
}

/** An entry's place in a listing: its time of opening, then its place in the ledger. */
type Place = readonly [openedAt: number, index: number];

/**
 * One page, oldest first. The cursor is the place of the page's last entry, so a payment that is
 * opened between two pages is neither lost nor listed twice.
 * @param all the whole ledger, in the order of opening.
 */
export function pageOf(all: readonly Entry[], request: ListPaymentsRequest): Result<Page, string> {
  const { ledger, installation, openedFrom, openedBefore, limit } = request;
  if (limit < 1) return err(rejections.limitNotPositive);
  const after = readCursor(request.cursor);
  if (after === undefined) return err(rejections.unknownCursor);
  const found = all
    .map((entry, index) => ({ entry, place: [entry.createdAt, index] as const }))
    .filter(
      ({ entry, place }) =>
        entry.account === ledger &&
        entry.installation === installation &&
        entry.createdAt >= openedFrom &&
        entry.createdAt < openedBefore &&
        compare(place, after) > 0,
    )
    .sort((a, b) => compare(a.place, b.place));
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return ok({
    references: page.map(({ entry }) => entry.id),
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
