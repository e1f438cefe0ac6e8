import { type EpochMs, err, ok, type Result } from '@chairside/core';
import type { ListRequest } from '@chairside/core/ports';
import { byTime } from './balance.ts';
import type { Rejection } from './errors.ts';

/**
 * One page, oldest first. The cursor is the place of the page's last item, so an item that is
 * opened between two pages is neither lost nor listed twice.
 */
export function pageOf<T extends { readonly openedAt: EpochMs; readonly reference: string }>(
  items: readonly T[],
  { openedFrom, openedBefore, limit, cursor }: ListRequest,
): Result<{ readonly items: readonly T[]; readonly cursor?: string }, Rejection> {
  if (limit < 1) return err('limitNotPositive');
  const [, openedAt = '', reference] = /^(-?\d{1,16})\.(\w+)$/.exec(cursor ?? '') ?? [];
  if (cursor !== undefined && reference === undefined) return err('unknownCursor');
  const after = reference === undefined ? undefined : { openedAt: Number(openedAt), reference };
  const found = items
    .filter(
      (item) =>
        item.openedAt >= openedFrom &&
        item.openedAt < openedBefore &&
        (after === undefined || byTime(item, after) > 0),
    )
    .sort(byTime);
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  return ok({
    items: page,
    ...(last !== undefined && { cursor: `${last.openedAt}.${last.reference}` }),
  });
}
