import { commit } from '../../call/commit.ts';
import { valueOrReport } from '../../call/report.ts';
import { resultOf, type Steps } from '../../domain/result.ts';
import type { ListProgress, SweptLedger, SweptLists } from '../../domain/swept-ledger.ts';
import type { EpochMs } from '../../domain/time.ts';
import type { Change } from '../../ports/change.ts';
import type { Ports } from '../../ports/ports.ts';
import type { ListedReturn } from '../../ports/processor-calls.ts';
import type { StoreUnavailable } from '../../ports/store.ts';
import { newReviews } from '../payment/reviews.ts';
import { minOrphanAgeMs } from './settle-orphan.ts';
import { type ListToSweep, minSpanMs, type SweptList, sweepList } from './sweep-list.ts';
import { paymentsToSweep } from './sweep-payments.ts';
import { listOpenDisputes, returnsToSweep } from './sweep-returned.ts';
import { entriesToSweep, payoutsToSweep } from './sweep-settlements.ts';

interface Swept {
  /** The number of payments without a record here that were canceled. */
  readonly canceled: number;
  /** Payments that are captured or could not be canceled: the processor's ids, else ours (D51). */
  readonly needReview: readonly string[];
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
  // Skips ledgers that failed a moment ago. A clock that was ahead may have stored a future time.
  const ledgers = stale.filter(({ triedAt }) => Math.abs(now - triedAt) >= minSpanMs);
  let canceled = 0;
  const needReview: string[] = [];
  for (const ledger of ledgers) {
    const result = await resultOf(sweepLedger(ports, ledger, now));
    const swept = valueOrReport(ports, 'sweep', result);
    if (swept === undefined) continue;
    canceled += swept.canceled;
    needReview.push(...swept.needReview);
  }
  return { canceled, needReview };
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
  const lists: { -readonly [List in keyof SweptLists]: ListProgress } = {};
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
  const reviews = found.flatMap((one) => one.reviews);
  const opened = yield* newReviews(ports, reviews);
  valueOrReport(
    ports,
    'sweep',
    await commit(ports, [...opened, ...recorded, { kind: 'putSweep', swept: after }]),
  );
  return {
    canceled: found.reduce((sum, one) => sum + one.canceled, 0),
    needReview: reviews.map(({ reference, paymentId, id }) => reference ?? paymentId ?? id),
  };
}

/**
 * The lists of a ledger, by their names. A processor may lack some.
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
  if (refunds !== undefined) {
    yield ['refunds', returns('listRecentRefunds', (request) => refunds.listRecent(request))];
  }
  if (disputes !== undefined) {
    yield ['disputes', returns('listRecentDisputes', (request) => disputes.listRecent(request))];
    // The message of a dispute's end may be lost, long after the list has shown its beginning (D45).
    yield ['openDisputes', returns('listOpenDisputes', (asked) => listOpenDisputes(ports, asked))];
  }
  if (settlements !== undefined) {
    yield ['settlements', entriesToSweep(ports, settlements, ledger, recorded)];
    yield ['payouts', payoutsToSweep(ports, settlements, ledger, now, recorded)];
  }
}
