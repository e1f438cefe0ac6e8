import { commit } from '../call/commit.ts';
import { valueOrReport } from '../call/report.ts';
import { isOpened, type Payment, reviewAfterMs } from '../domain/payment.ts';
import { resultOf, type Steps } from '../domain/result.ts';
import type { Review } from '../domain/review.ts';
import { type EpochMs, hourMs, minuteMs } from '../domain/time.ts';
import type { Ports } from '../ports/ports.ts';
import type { ListedPayment, ListPaymentsRequest } from '../ports/processor.ts';
import type { Change, StoreUnavailable, SweptAccount } from '../ports/store.ts';
import { ask } from './ask.ts';
import { openReview, orphanReview } from './open-review.ts';

/** What a sweep of the processor's payments found. */
interface Swept {
  /** Payments at the processor that nobody here knows of, and that were canceled. */
  readonly canceled: number;
  /** Those that are captured, or could not be canceled: the processor's ids, else ours (D61). */
  readonly needReview: readonly string[];
}

const accountsPerRun = 10;
const pageSize = 100;
/** What a run does not reach, the next one goes on with. */
const pagesPerAccount = 20;
/** Younger payments may still be on their way into our records (D27). */
const minAgeMs = hourMs;
/** A sweep of less than this is not worth a call. */
const minSpanMs = 10 * minuteMs;

/**
 * Looks for payments at the processor that have no record here: left behind by a create that died
 * between the two. Only those with this installation's mark are touched (D27). An account that fails
 * does not keep what was found in the others from being told.
 */
export async function sweep(ports: Ports): Promise<Swept> {
  const now = ports.clock.now();
  const listed = await ports.store.sweeps.listStale(now - minAgeMs - minSpanMs, accountsPerRun);
  const stale = valueOrReport(ports, 'sweep', listed) ?? [];
  // What could not be reached a moment ago will not be now.
  // A clock that was ahead may have left a time in the future.
  const accounts = stale.filter(({ triedAt }) => Math.abs(now - triedAt) >= minSpanMs);
  let canceled = 0;
  const needReview: string[] = [];
  for (const account of accounts) {
    const result = await resultOf(sweepAccount(ports, account, now));
    const swept = valueOrReport(ports, 'sweep', result);
    if (swept === undefined) continue;
    canceled += swept.canceled;
    needReview.push(...swept.needReview);
  }
  return { canceled, needReview };
}

async function* sweepAccount(
  ports: Ports,
  { account, sweptBefore }: SweptAccount,
  now: EpochMs,
): Steps<Swept, StoreUnavailable> {
  const openedBefore = now - minAgeMs;
  const reviews: Review[] = [];
  let canceled = 0;
  const span = { account, openedFrom: sweptBefore, openedBefore };
  let reached = sweptBefore;
  /** When the first was opened that could not be reached: the next run begins there. */
  let missed: EpochMs | undefined;
  let cursor: string | undefined;
  for (let page = 1; page <= pagesPerAccount; page += 1) {
    const listed = await listPage(ports, span, cursor);
    if (listed.isErr()) break;
    const { items, unreadable = [], at = now } = listed.value;
    for (const item of unreadable) {
      reviews.push(orphanReview(account, item, 'unreadableAtProcessor'));
    }
    for (const item of items) {
      reached = item.openedAt;
      const payment = yield* await ports.store.payments.get(item.paymentId);
      if (isKnown(payment, item) || item.status === 'canceled') continue;
      const end = await settleOrphan(ports, item, now);
      if (end === 'canceled') canceled += 1;
      else if (end === 'later') missed ??= item.openedAt;
      else reviews.push(orphanReview(account, item, end));
    }
    cursor = listed.value.cursor;
    if (cursor === undefined) {
      // Never further than the processor's own time, so that a clock that is ahead skips nothing (D42).
      reached = Math.min(openedBefore, at - minAgeMs);
      break;
    }
  }
  const swept = { account, sweptBefore: missed ?? reached, triedAt: now };
  // In one commit, so that a crash loses none: what was not written is found again (D43).
  const opened = yield* newReviews(ports, reviews);
  valueOrReport(ports, 'sweep', await commit(ports, [...opened, { kind: 'putSweep', swept }]));
  return {
    canceled,
    needReview: reviews.map(({ reference, paymentId, id }) => reference ?? paymentId ?? id),
  };
}

/** An orphan that was found before has its entry already. */
async function* newReviews(
  ports: Ports,
  found: readonly Review[],
): Steps<readonly Change[], StoreUnavailable> {
  const changes: Change[] = [];
  for (const review of found) {
    const stored = yield* await ports.store.reviews.get(review.id);
    if (stored === undefined) changes.push(...openReview(review));
  }
  return changes;
}

function listPage(
  ports: Ports,
  span: Pick<ListPaymentsRequest, 'account' | 'openedFrom' | 'openedBefore'>,
  cursor: string | undefined,
) {
  return ask(ports, 'listPayments', () =>
    ports.processor.listPayments({
      ...span,
      installation: ports.installation,
      limit: pageSize,
      ...(cursor !== undefined && { cursor }),
    }),
  );
}

/** Known: recorded here under this very reference, or on its way to be. */
function isKnown(payment: Payment | undefined, item: ListedPayment): boolean {
  if (payment === undefined) return false;
  if (!isOpened(payment)) return payment.work !== undefined;
  return payment.reference === undefined || payment.reference === item.reference;
}

/** What becomes of a payment at the processor that nobody here knows of. */
async function settleOrphan(
  ports: Ports,
  item: ListedPayment,
  now: EpochMs,
): Promise<'canceled' | 'later' | 'orphanCaptured' | 'orphanNotCanceled'> {
  if (item.status === 'captured') return 'orphanCaptured';
  const ageMs = (item.at ?? now) - item.openedAt;
  // By the processor's clock it may still be on its way into our records.
  if (ageMs < minAgeMs) return 'later';
  const end = await cancelOrphan(ports, item);
  if (end === 'canceled') return 'canceled';
  return end === 'notReached' && ageMs < reviewAfterMs ? 'later' : 'orphanNotCanceled';
}

async function cancelOrphan(
  ports: Ports,
  item: ListedPayment,
): Promise<'canceled' | 'refused' | 'notReached'> {
  const { account, paymentId, reference, openedAt } = item;
  const canceled = await ask(ports, 'cancelPayment', () =>
    ports.processor.cancelPayment({
      account,
      paymentId,
      installation: ports.installation,
      begunAt: openedAt,
      ...(reference !== undefined && { reference }),
      // A failure that is replayed for ever under one key must not be the end: each hour has another.
      idempotencyKey: `${reference ?? paymentId}:orphan:${Math.floor(ports.clock.now() / hourMs)}`,
    }),
  );
  if (canceled.isOk()) return 'canceled';
  return canceled.error.kind === 'rejected' ? 'refused' : 'notReached';
}
