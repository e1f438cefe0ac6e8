import {
  type EpochMs,
  err,
  hourMs,
  minuteMs,
  ok,
  okAsync,
  type ResultAsync,
  safeTry,
  secondMs,
} from '@chairside/core';
import type Stripe from 'stripe';
import { answeredAt } from './answered-at.ts';
import type { Call, CallOptions } from './connection.ts';
import { type Failure, unknown } from './failure.ts';
import { keyLifetimeMs } from './keys.ts';
import { isMarked, type Metadata } from './marks.ts';
import { believe, listShape } from './shapes.ts';

/** An object of ours in a list, not parsed any further. */
export interface Listed {
  readonly id: string;
  readonly created: number;
  readonly metadata: Metadata;
  readonly [name: string]: unknown;
}

/** A list of Stripe's: newest first, a page at a time. */
export type ListPage = (
  stripe: Stripe,
  params: { created: Stripe.RangeQueryParam; limit: number; starting_after?: string },
  options: Stripe.RequestOptions,
) => Promise<unknown>;

/** All of ours in a span. */
export interface ListedOurs {
  readonly ours: readonly Listed[];
  readonly pages: number;
  /** Given if the span has more pages than were allowed: all that is newer than this was listed. */
  readonly cutAt?: EpochMs;
  /** Stripe's time of the last page. */
  readonly at?: EpochMs;
}

const pageSize = 100;

/**
 * Everything with our marks that was created in the span, newest first. It lists the whole span or
 * returns an error, because unread parts must not count as empty. The call's deadline bounds it.
 * With `maxPages` it stops after that number, and returns `cutAt`.
 *
 * By list, not by search: Stripe's search index lags behind its ledger.
 */
export function listMarked(
  call: Call,
  listPage: ListPage,
  scope: CallOptions,
  created: Stripe.RangeQueryParam,
  marks: Metadata,
  maxPages = Number.POSITIVE_INFINITY,
): ResultAsync<ListedOurs, Failure> {
  return safeTry(async function* () {
    const ours: Listed[] = [];
    let after: string | undefined;
    for (let pages = 1; ; pages += 1) {
      const starting = after === undefined ? {} : { starting_after: after };
      const params = { created, limit: pageSize, ...starting };
      const reply = yield* call.send((stripe, options) => listPage(stripe, params, options), scope);
      const { data, has_more } = yield* believe(listShape, reply);
      for (const item of data) {
        const { metadata } = item;
        if (metadata && isMarked(metadata, marks)) ours.push({ ...item, metadata });
      }
      if (!has_more) return ok({ ours, pages, ...answeredAt(reply) });
      const last = data.at(-1);
      if (last === undefined || last.id === after) return err(unknown);
      if (pages >= maxPages) {
        return ok({ ours, pages, cutAt: last.created * secondMs, ...answeredAt(reply) });
      }
      after = last.id;
    }
  });
}

/** The maximum difference between Stripe's clock and ours. */
const skewMs = 5 * minuteMs;

/** Payments of a node are found although its clock is wrong by this much (D42). */
const longestErrorMs = 72 * hourMs;

/**
 * Everything with our marks that was created since a payment, a setup or a customer was begun. If the clock
 * of that node was ahead, the span is still to come by Stripe's clock. An empty list then proves nothing, so
 * a second list begins earlier.
 */
export function listSince(
  call: Call,
  listPage: ListPage,
  scope: CallOptions,
  begunAt: EpochMs,
  marks: Metadata,
): ResultAsync<readonly Listed[], Failure> {
  const list = (from: EpochMs) => listMarked(call, listPage, scope, span(from, begunAt), marks);
  return list(begunAt - skewMs).andThen(({ ours, at = begunAt }) => {
    if (ours.length > 0 || begunAt - skewMs <= at) return okAsync(ours);
    return list(begunAt - longestErrorMs).map((earlier) => earlier.ours);
  });
}

/** It ends where a request of ours can no longer have created it: no key is sent for longer (D20). */
function span(from: EpochMs, begunAt: EpochMs): Stripe.RangeQueryParam {
  const until = begunAt + keyLifetimeMs + longestErrorMs;
  return { gte: Math.floor(from / 1000), lte: Math.ceil(until / 1000) };
}
