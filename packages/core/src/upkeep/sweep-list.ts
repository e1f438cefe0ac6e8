import { report } from '../frame/commit.ts';
import { hasEnded } from '../payment/cancel.ts';
import { ask } from '../payment/carry.ts';
import { isFinal, isOpened, type Payment, reviewAfterMs } from '../payment/payment.ts';
import { orphanReview } from '../payment/reviews.ts';
import type { Ports } from '../ports/ports.ts';
import type { ListedPage, ListedPayment, ListRequest, ProcessorError } from '../ports/processor.ts';
import type { StoreUnavailable } from '../ports/store.ts';
import type { ResultAsync, Steps } from '../values/result.ts';
import { type EpochMs, hourMs, secondMs } from '../values/time.ts';
import type { Review } from './review.ts';
import { clockErrorMs, type ListPass, type ListProgress, minSpanMs } from './swept-books.ts';

/** One of the processor's lists, and what a sweep does with its items. */
export interface ListToSweep<Item, Page extends ListedPage<Item> = ListedPage<Item>> {
  /** The name of the call, for the observer. */
  readonly call: string;
  readonly pageSize: number;
  /** Items of any age are handled, up to the processor's present. */
  readonly isOfAnyAge?: true;
  read(request: ListRequest): ResultAsync<Page, ProcessorError>;
  handle(item: Item, failedSince: FailedSince): Steps<ItemEnd, StoreUnavailable>;
  /** What a page tells beside its items. */
  handlePage?(page: Page): Steps<void, StoreUnavailable>;
}

/**
 * Notes that an item failed, and returns when it did so first. Its age does not count, nor the time in which upkeep
 * stood still.
 */
export type FailedSince = (item: string) => EpochMs;

/** `later`: the next pass begins with this item. */
export type ItemEnd = 'done' | 'canceled' | 'later' | Review;

/** The result of one run over one list. */
export interface SweptList {
  readonly progress: ListProgress;
  readonly canceled: number;
  readonly reviews: readonly Review[];
  /** The pass continues with the next run, at once. */
  readonly isUnderWay: boolean;
  /** The pass came to its end, and leaves nothing to the next one. */
  readonly isRead: boolean;
  /** The processor lists nothing of these books. */
  readonly isRefused: boolean;
}

/** The bounds of one list in one run. A run that is stopped loses its progress, so it is short. */
const pagesPerRun = 20;
const runForMs = 10 * secondMs;
/** Of more items that fail, the times are not kept. */
const maxFailing = 100;

/**
 * Reads a part of a list, from where the last run ended. Nothing holds the list back: the next
 * pass begins with an item that cannot be ended now, and an unreadable item is reported or becomes
 * a review.
 * @param until items that were opened later are left to the next pass.
 */
export async function* sweepList<Item extends Pick<ListedPayment, 'openedAt'>>(
  ports: Ports,
  list: ListToSweep<Item>,
  books: string,
  { pass: begun, ...swept }: ListProgress,
  until: EpochMs,
): Steps<SweptList, StoreUnavailable> {
  const startedAt = ports.clock.now();
  // A copied database leaves alone what its original has opened (D210).
  const sweptBefore = Math.max(swept.sweptBefore, ports.home?.since() ?? 0);
  const { reportedBefore = 0 } = swept;
  let pass: ListPass = begun ?? { before: until };
  const failed = new Map(swept.failing);
  const failedSince: FailedSince = (item) => {
    const failing = new Map(pass.failing);
    const earliest = failed.size < maxFailing ? startedAt : Math.min(...failed.values());
    const since = failed.get(item) ?? failing.get(item) ?? earliest;
    if (failing.size < maxFailing) pass = { ...pass, failing: [...failing.set(item, since)] };
    return since;
  };
  let canceled = 0;
  const reviews: Review[] = [];
  const end = (
    progress: ListProgress,
    how: Partial<Pick<SweptList, 'isUnderWay' | 'isRead' | 'isRefused'>> = {},
  ): SweptList => ({
    progress,
    canceled,
    reviews,
    isUnderWay: false,
    isRead: false,
    isRefused: false,
    ...how,
  });
  if (begun === undefined && until - sweptBefore < minSpanMs) return end(swept);
  for (let page = 1; page <= pagesPerRun; page += 1) {
    const span = { books, openedFrom: sweptBefore, openedBefore: pass.before };
    const { cursor: after } = pass;
    const request = { ...span, installation: ports.installation, limit: list.pageSize };
    const listed = await ask(ports, list.call, () =>
      list.read(after === undefined ? request : { ...request, cursor: after }),
    );
    if (listed.isErr()) {
      // A processor may drop cursors. The span is then read again from its beginning.
      const { kind } = listed.error;
      const isBegun = after !== undefined && kind !== 'rejected';
      const isRefused = kind === 'notSetUp' || (kind === 'rejected' && after === undefined);
      return end(isBegun ? { ...swept, pass } : swept, { isRefused });
    }
    const { items, unreadable = [], skipped = [], at, cursor } = listed.value;
    for (const { reference, openedAt = reportedBefore } of skipped) {
      // The next pass begins before the end of this pass, so some items come again.
      if (openedAt < reportedBefore) continue;
      report(ports, { kind: 'failure', name: list.call, outcome: 'unreadable', reference });
    }
    for (const item of unreadable) reviews.push(orphanReview(item, 'unreadableAtProcessor'));
    // A clock that is ahead of the processor's must not skip what is opened soon (D42).
    if (at !== undefined && list.isOfAnyAge !== true) pass = restartedAt(pass, at - minOrphanAgeMs);
    for (const item of items) {
      const ended = yield* list.handle(item, failedSince);
      if (ended === 'canceled') canceled += 1;
      else if (ended === 'later') pass = restartedAt(pass, item.openedAt);
      else if (ended !== 'done') reviews.push(ended);
    }
    if (list.handlePage !== undefined) yield* list.handlePage(listed.value);
    if (cursor === undefined && list.isOfAnyAge === true && at !== undefined && at >= pass.before) {
      // Our clock is far behind, so the span is read once more, up to the processor's present.
      const { cursor: _cursor, ...rest } = pass;
      pass = { ...rest, before: at + clockErrorMs };
      continue;
    }
    if (cursor === undefined) {
      const { before, restartAt, failing } = pass;
      const progress = {
        sweptBefore: Math.max(sweptBefore, restartAt ?? before),
        // An item that was opened after the processor sent this page is not on it.
        reportedBefore: Math.max(reportedBefore, Math.min(before, at ?? before)),
        ...(failing !== undefined && { failing }),
      };
      return end(progress, { isRead: restartAt === undefined });
    }
    pass = { ...pass, cursor };
    if (ports.clock.now() - startedAt >= runForMs) break;
  }
  return end({ ...swept, pass }, { isUnderWay: true });
}

/** The pass, if the next one has to begin at this time or earlier. */
function restartedAt(pass: ListPass, at: EpochMs): ListPass {
  const { restartAt = pass.before } = pass;
  return at < restartAt ? { ...pass, restartAt: at } : pass;
}

/** The record of a younger payment may still be uncommitted. */
export const minOrphanAgeMs = hourMs;

/** Whether the stored payment has this reference, or none yet. A canceled payment gets none any more. */
export function isKnown(payment: Payment | undefined, item: ListedPayment): boolean {
  if (payment === undefined || !isOpened(payment)) return false;
  const { reference, state } = payment;
  return reference === undefined ? state !== 'canceled' : reference === item.reference;
}

/** Whether the payment's create is unfinished: that create may still record this entry or another. */
export function isBeingOpened(payment: Payment | undefined): boolean {
  return payment !== undefined && !isOpened(payment) && payment.work !== undefined;
}

/**
 * Whether the item is one of several entries of an open payment, and has no reference that names it. Its
 * cancelation would reach the entry that went furthest, whose card may be authorized.
 */
function isUnnamed(payment: Payment | undefined, { reference }: ListedPayment): boolean {
  return payment !== undefined && !isFinal(payment) && reference === undefined;
}

/**
 * Ends an entry at the processor that has no record here.
 * @param payment the payment that its marks name, if that has a record.
 */
export async function endOrphan(
  ports: Ports,
  item: ListedPayment,
  now: EpochMs,
  payment: Payment | undefined,
  failedSince: FailedSince,
): Promise<'canceled' | 'later' | 'orphanCaptured' | 'orphanAuthorized' | 'orphanNotCanceled'> {
  if (item.status === 'captured') return 'orphanCaptured';
  const ageMs = (item.at ?? now) - item.openedAt;
  // By the processor's clock: its record may still be written.
  if (ageMs < minOrphanAgeMs) return 'later';
  // No client had the secret of a payment that was never recorded, so another database has its record.
  if (payment === undefined && item.status === 'authorized') return 'orphanAuthorized';
  const end = isUnnamed(payment, item) ? 'notReached' : await cancelOrphan(ports, item);
  if (end === 'canceled') return 'canceled';
  if (end === 'refused') return 'orphanNotCanceled';
  const since = failedSince(item.reference ?? item.paymentId);
  return now - since < reviewAfterMs ? 'later' : 'orphanNotCanceled';
}

export async function cancelOrphan(
  ports: Ports,
  item: Pick<ListedPayment, 'account' | 'paymentId' | 'reference' | 'openedAt'>,
): Promise<'canceled' | 'refused' | 'notReached'> {
  const { account, paymentId, reference, openedAt } = item;
  const canceled = await ask(ports, 'cancelPayment', () =>
    ports.processor.cancelPayment({
      account,
      paymentId,
      installation: ports.installation,
      begunAt: openedAt,
      ...(reference !== undefined && { reference }),
      // The processor replays a failure for ever under one key, so each hour has its own key.
      idempotencyKey: `${reference ?? paymentId}:orphan:${Math.floor(ports.clock.now() / hourMs)}`,
    }),
  );
  if (canceled.isOk()) {
    const { value: seen } = canceled;
    return seen === undefined || hasEnded(seen) ? 'canceled' : 'notReached';
  }
  return canceled.error.kind === 'rejected' ? 'refused' : 'notReached';
}
