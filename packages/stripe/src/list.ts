import {
  type EpochMs,
  err,
  hourMs,
  minuteMs,
  ok,
  type Result,
  ResultAsync,
  safeTry,
  secondMs,
} from '@chairside/core';
import type Stripe from 'stripe';
import type { Call } from './connection.ts';
import { type Failure, unknown } from './failure.ts';
import { keyLifetimeMs } from './keys.ts';
import { isMarked, type Metadata, metadataOf } from './marks.ts';
import { answeredAt, believe, type Listed, listShape, toListed } from './shapes.ts';

interface PageParams {
  readonly created?: Stripe.RangeQueryParam;
  readonly limit: number;
  readonly starting_after?: string;
}

/** A list of Stripe's: newest first, a page at a time. */
export type List = (
  stripe: Stripe,
  params: PageParams,
  options: Stripe.RequestOptions,
) => Promise<unknown>;

/** The list in an account or, without one, in the platform. */
export interface ListIn {
  readonly call: Call;
  readonly list: List;
  readonly account?: string | undefined;
}

interface Page {
  readonly items: readonly Listed[];
  /** The id of the last item, if more follow. */
  readonly last?: string;
  /** Stripe's time when it sent the page. */
  readonly at?: EpochMs;
}

/**
 * Reads one page, after the item with the given id. Nothing is demanded of an item, because most are of
 * other systems. Some of theirs are so long, or take Stripe so long, that no reply arrives: then fewer are
 * asked for (D51).
 */
export function readPage(
  of: ListIn,
  created?: Stripe.RangeQueryParam,
  after?: string,
  limit = 100,
): ResultAsync<Page, Failure> {
  const { call, list, account } = of;
  const span = created === undefined ? {} : { created };
  const starting = after === undefined ? {} : { starting_after: after };
  return safeTry(async function* () {
    const reply = await call.send(
      (stripe, options) => list(stripe, { ...span, ...starting, limit }, options),
      { account, share: limit > 1 ? 1 / 2 : 1 },
    );
    if (reply.isErr()) {
      const { isLost = false } = reply.error;
      if (!isLost || limit === 1) return err(reply.error);
      return readPage(of, created, after, limit > 10 ? 10 : 1);
    }
    const { data, has_more } = yield* believe(listShape, reply.value);
    const items = data.map(toListed);
    const last = items.findLast(({ id }) => id !== undefined)?.id;
    // Without a new last item, the next page would be this page again.
    if (has_more && (last === undefined || last === after)) return err(unknown);
    return ok({
      items,
      ...(has_more && last !== undefined && { last }),
      ...answeredAt(reply.value),
    });
  });
}

/** The kept items of a span. */
interface Span<T> {
  readonly kept: readonly T[];
  readonly pages: number;
  /** Given if the span was not read whole: all that is newer than this was read. */
  readonly cutAt?: EpochMs;
  /** Stripe's time of the last page. */
  readonly at?: EpochMs;
}

/**
 * Everything that was created in the span and that `keep` keeps, newest first. It reads the whole span
 * or returns an error, because unread parts must not count as empty. The call's deadline bounds it.
 * With `maxPages` it stops after that number, or when time is up after a page, and returns `cutAt`.
 *
 * By list, not by search: Stripe's search index lags behind its books.
 */
export async function readSpan<T>(
  list: ListIn,
  created: Stripe.RangeQueryParam,
  keep: (item: Listed) => T | undefined,
  maxPages?: number,
): Promise<Result<Span<T>, Failure>> {
  const kept: T[] = [];
  let last: string | undefined;
  // Until an item tells its time, nothing shows that any of the span was read.
  let oldest = created.gte ?? 0;
  let answered: Pick<Page, 'at'> = {};
  for (let pages = 1; ; pages += 1) {
    const read = await readPage(list, created, last);
    if (read.isErr()) {
      if (maxPages === undefined || last === undefined) return err(read.error);
      return ok({ kept, pages, cutAt: oldest * secondMs, ...answered });
    }
    const { items, at } = read.value;
    oldest = items.findLast((item) => item.created !== undefined)?.created ?? oldest;
    kept.push(...items.flatMap((item) => keep(item) ?? []));
    answered = at === undefined ? {} : { at };
    last = read.value.last;
    if (last === undefined) return ok({ kept, pages, ...answered });
    if (pages === maxPages) return ok({ kept, pages, cutAt: oldest * secondMs, ...answered });
  }
}

/** The maximum difference between Stripe's clock and ours. */
const skewMs = 5 * minuteMs;

/** Payments of a node are found although its clock is wrong by this much (D42). */
const longestErrorMs = 72 * hourMs;

/**
 * Everything with our marks that was created since a payment, a setup or a customer was begun. If the clock
 * of that node was ahead, the span is still to come by Stripe's clock. An empty list then proves nothing, so
 * a second list begins earlier.
 * @param sentForMs creates are sent for so long. That time is read first, because Stripe lists newest first:
 * what other systems created in the days since could fill the time of every call.
 */
export function listSince(
  list: ListIn,
  begunAt: EpochMs,
  marks: Metadata,
  sentForMs = 0,
): ResultAsync<readonly Listed[], Failure> {
  const from = begunAt - skewMs;
  const sentUntil = begunAt + sentForMs + skewMs;
  // No request of ours can create it later: no key is sent for longer (D20).
  const until = begunAt + keyLifetimeMs + longestErrorMs;
  const within = (gte: EpochMs, lte: EpochMs) =>
    new ResultAsync(
      readSpan(list, { gte: Math.floor(gte / 1000), lte: Math.ceil(lte / 1000) }, (item) => {
        const metadata = metadataOf(item);
        return metadata && isMarked(metadata, marks) ? item : undefined;
      }),
    );
  return safeTry(async function* () {
    const { kept, at = sentUntil } = yield* within(from, sentUntil);
    if (kept.length > 0) return ok(kept);
    if (at < from) return within(begunAt - longestErrorMs, until).map((earlier) => earlier.kept);
    // By Stripe's clock the rest is still to come.
    if (at < sentUntil) return ok([]);
    return within(sentUntil, until).map((later) => later.kept);
  });
}
