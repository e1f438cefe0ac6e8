import { commit, valueOrReport } from '../frame/commit.ts';
import { ledgersToRestore, restoredUntil } from '../payment/restored.ts';
import { newReviews, orphanReview } from '../payment/reviews.ts';
import type { Ports } from '../ports/ports.ts';
import type { ListedPayment, ListedReturn, ListRequest } from '../ports/processor.ts';
import type { Change, CommitError, StoreUnavailable } from '../ports/store.ts';
import { resultOf, type Steps } from '../values/result.ts';
import type { EpochMs } from '../values/time.ts';
import { paymentsToRestore, restorationOf } from './restore.ts';
import type { Review } from './review.ts';
import {
  entriesToSweep,
  listWatchedDisputes,
  payoutsOfRun,
  payoutsToSweep,
  returnsToSweep,
} from './sweep-books.ts';
import {
  type ItemEnd,
  isBeingOpened,
  isKnown,
  type ListToSweep,
  minOrphanAgeMs,
  minSpanMs,
  type SweptList,
  settleOrphan,
  sweepList,
} from './sweep-list.ts';
import type { ListProgress, SweptLedger, SweptLists } from './swept-ledger.ts';

interface Swept {
  /** The number of payments without a record here that were canceled. */
  readonly canceled: number;
  /** Payments that are captured or could not be canceled: the processor's ids, else ours (D51). */
  readonly needReview: readonly string[];
  /** Creates are refused until more of the processor's lists was read (D210). */
  readonly more: boolean;
}

const ledgersPerRun = 10;

/**
 * Finds payments at the processor that have no record here, because a create died before it wrote
 * one. It also finds refunds and disputes whose messages were lost. It touches only payments with this
 * installation's mark (D27). A failed ledger or list does not stop the others.
 */
export async function sweep(ports: Ports): Promise<Swept> {
  const now = ports.clock.now();
  const listed = await ports.store.sweeps.listStale(
    now - minOrphanAgeMs - minSpanMs,
    ledgersPerRun,
  );
  const stale = valueOrReport(ports, 'sweep', listed) ?? [];
  const unread = valueOrReport(ports, 'sweep', await resultOf(ledgersToRestore(ports))) ?? [];
  const isUnread = ({ ledger }: SweptLedger) => unread.some((one) => one.ledger === ledger);
  // Skips ledgers that failed a moment ago. A clock that was ahead may have stored a future time.
  const ledgers = stale.filter((one) => Math.abs(now - one.triedAt) >= minSpanMs && !isUnread(one));
  const runs = [
    ...unread.slice(0, ledgersPerRun).map((ledger) => restoreLedger(ports, ledger, now)),
    ...ledgers.map((ledger) => sweepLedger(ports, ledger, now)),
  ];
  let canceled = 0;
  let more = unread.length > ledgersPerRun;
  const needReview: string[] = [];
  for (const run of runs) {
    const swept = valueOrReport(ports, 'sweep', await resultOf(run));
    if (swept === undefined) continue;
    canceled += swept.canceled;
    more ||= swept.more;
    needReview.push(...swept.needReview);
  }
  return { canceled, needReview, more };
}

/** Reads a ledger's payments, and records the captures that a restored backup lacks (D210). */
async function* restoreLedger(
  ports: Ports,
  swept: SweptLedger,
  now: EpochMs,
): Steps<Swept, CommitError> {
  const { ledger } = swept;
  const list = paymentsToRestore(ports, now);
  const run = yield* sweepList(ports, list, ledger, restorationOf(swept, now), restoredUntil(now));
  // The other lists go on from where they were: by then their payments are known here.
  const lists = { ...swept.lists, restored: run.progress };
  yield* await commit(ports, [
    ...(yield* newReviews(ports, run.reviews)),
    { kind: 'putSweep', swept: { ...swept, triedAt: now, lists } },
  ]);
  return { canceled: 0, needReview: idsOf(run.reviews), more: run.isUnderWay };
}

/** Sweeps each list of a ledger, then records how far it came and what a person has to review. */
async function* sweepLedger(
  ports: Ports,
  swept: SweptLedger,
  now: EpochMs,
): Steps<Swept, StoreUnavailable> {
  const { ledger, sweptBefore } = swept;
  const until = now - minOrphanAgeMs;
  const found: SweptList[] = [];
  const { restored } = swept.lists ?? {};
  const lists: { -readonly [List in keyof SweptLists]: ListProgress } = {
    ...(restored !== undefined && { restored }),
  };
  const recorded: Change[] = [];
  for (const [name, list] of listsOf(ports, ledger, now, recorded)) {
    const progress = swept.lists?.[name] ?? { sweptBefore };
    const run = yield* sweepList(ports, list, ledger, progress, until);
    lists[name] = run.progress;
    found.push(run);
  }
  const after: SweptLedger = {
    ledger,
    sweptBefore: Math.min(...found.map(({ progress }) => progress.sweptBefore)),
    // A pass that is under way goes on with the next run.
    triedAt: found.some(({ isUnderWay }) => isUnderWay) ? now - minSpanMs : now,
    lists,
  };
  // One commit: after a crash the next sweep finds them again (D43).
  // Two lists may show one payment.
  const all = found.flatMap((one) => one.reviews);
  const reviews = [...new Map(all.map((review) => [review.id, review])).values()];
  const opened = yield* newReviews(ports, reviews);
  valueOrReport(
    ports,
    'sweep',
    await commit(ports, [...opened, ...recorded, { kind: 'putSweep', swept: after }]),
  );
  return {
    canceled: found.reduce((sum, one) => sum + one.canceled, 0),
    needReview: idsOf(reviews),
    more: false,
  };
}

function idsOf(reviews: readonly Review[]): readonly string[] {
  return reviews.map(({ reference, paymentId, id }) => reference ?? paymentId ?? id);
}

/**
 * The lists of a ledger, by their names. A processor may lack those of its settlements.
 * @param recorded receives the changes of settlements and payouts.
 */
function* listsOf(
  ports: Ports,
  ledger: string,
  now: EpochMs,
  recorded: Change[],
): Iterable<[keyof SweptLists, ListToSweep<{ readonly openedAt: EpochMs }>]> {
  const { refunds, disputes, settlements } = ports.processor;
  const returns = (call: string, read: ListToSweep<ListedReturn>['read']) =>
    returnsToSweep(ports, ledger, now, call, read);
  yield ['payments', paymentsToSweep(ports, now)];
  yield ['refunds', returns('listRecentRefunds', (request) => refunds.listRecent(request))];
  yield ['disputes', returns('listRecentDisputes', (request) => disputes.listRecent(request))];
  // The message of a dispute's end may be lost, long after the list has shown its beginning, and so may
  // that of an appeal (D45).
  const watched = (asked: ListRequest) => listWatchedDisputes(ports, asked);
  yield ['openDisputes', returns('listWatchedDisputes', watched)];
  if (settlements !== undefined) {
    const run = { ledger, now, recorded, payouts: payoutsOfRun(ports, ledger, recorded) };
    yield ['settlements', entriesToSweep(ports, settlements, run)];
    yield ['payouts', payoutsToSweep(ports, settlements, run)];
  }
}

/** The payments of a ledger: each one without a record here is settled (D27). */
function paymentsToSweep(ports: Ports, now: EpochMs): ListToSweep<ListedPayment> {
  return {
    call: 'listPayments',
    pageSize: 100,
    read: (request) => ports.processor.listPayments(request),
    settle: (item) => settleUnlessKnown(ports, item, now),
  };
}

async function* settleUnlessKnown(
  ports: Ports,
  item: ListedPayment,
  now: EpochMs,
): Steps<ItemEnd, StoreUnavailable> {
  const payment = yield* await ports.store.payments.get(item.paymentId);
  if (isKnown(payment, item) || item.status === 'canceled') return 'done';
  const end = isBeingOpened(payment) ? 'later' : await settleOrphan(ports, item, now, payment);
  return end === 'canceled' || end === 'later' ? end : orphanReview(item, end);
}
