import { commit } from '../../call/commit.ts';
import { valueOrReport } from '../../call/report.ts';
import type { Payment } from '../../domain/payment.ts';
import { resultOf, type Steps } from '../../domain/result.ts';
import type { Review } from '../../domain/review.ts';
import type { SweptLedger } from '../../domain/swept-ledger.ts';
import { type EpochMs, hourMs, minuteMs } from '../../domain/time.ts';
import type { Change } from '../../ports/change.ts';
import type { Ports } from '../../ports/ports.ts';
import type { ListPaymentsRequest } from '../../ports/processor-calls.ts';
import type { StoreUnavailable } from '../../ports/store.ts';
import { ask, ledgerOf } from '../ask.ts';
import { openReview, orphanReview } from '../payment/open-review.ts';
import { isBeingOpened, isKnown, minOrphanAgeMs, settleOrphan } from './settle-orphan.ts';
import { sweepRefunds } from './sweep-refunds.ts';

/** The result of a sweep of the processor's payments. */
interface Swept {
  /** The number of payments without a record here that were canceled. */
  readonly canceled: number;
  /** Payments that are captured or could not be canceled: the processor's ids, else ours (D61). */
  readonly needReview: readonly string[];
}

const ledgersPerRun = 10;
const pageSize = 100;
/** The maximum for one ledger in one run. */
const pagesPerLedger = 20;
/** Shorter spans are skipped. */
const minSpanMs = 10 * minuteMs;
/** The clock of the node that began a ledger's first payment may be ahead by so much (D112). */
const clockErrorMs = 7 * 24 * hourMs;

/** The start of a ledger's first sweep, from its first payment. */
export function sweepFrom({ createdAt }: Pick<Payment, 'createdAt'>): EpochMs {
  return createdAt - clockErrorMs;
}

/**
 * Finds payments at the processor that have no record here, because a create died before it wrote
 * one. It touches only those with this installation's mark (D27). A failed ledger does not stop the
 * others.
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

/** Sweeps one ledger, then records how far it came and which payments a person has to review. */
async function* sweepLedger(
  ports: Ports,
  { ledger, sweptBefore }: SweptLedger,
  now: EpochMs,
): Steps<Swept, StoreUnavailable> {
  // A row of an earlier version may name an account that shares its ledger with others.
  const span = {
    ledger: ledgerOf(ports, ledger),
    openedFrom: sweptBefore,
    openedBefore: now - minOrphanAgeMs,
  };
  const { canceled, reviews, reached, missed, triedAt } = yield* sweepPages(ports, span, now);
  const end = missed ?? reached;
  const isWhole =
    missed === undefined &&
    (await sweepRefunds(ports, { ledger: span.ledger, madeFrom: sweptBefore, madeBefore: end }));
  const swept = isWhole
    ? { ledger, sweptBefore: end, triedAt }
    : { ledger, sweptBefore: missed ?? sweptBefore, triedAt: now };
  // One commit: after a crash the next sweep finds them again (D43).
  const opened = yield* newReviews(ports, reviews);
  valueOrReport(ports, 'sweep', await commit(ports, [...opened, { kind: 'putSweep', swept }]));
  return {
    canceled,
    needReview: reviews.map(({ reference, paymentId, id }) => reference ?? paymentId ?? id),
  };
}

/** The result of the pages of one ledger. */
interface SweptPages {
  readonly canceled: number;
  readonly reviews: readonly Review[];
  /** All payments opened before this were read. */
  readonly reached: EpochMs;
  /** When the first unsettled payment was opened: the next run begins there. */
  readonly missed: EpochMs | undefined;
  /** If pages remain, the next run starts at once. */
  readonly triedAt: EpochMs;
}

type SweepSpan = Pick<ListPaymentsRequest, 'ledger' | 'openedFrom' | 'openedBefore'>;

/** Reads a ledger's pages, and settles each payment that has no record here. */
async function* sweepPages(
  ports: Ports,
  span: SweepSpan,
  now: EpochMs,
): Steps<SweptPages, StoreUnavailable> {
  const { openedFrom, openedBefore } = span;
  const reviews: Review[] = [];
  let canceled = 0;
  let reached = openedFrom;
  let missed: EpochMs | undefined;
  let triedAt = now - minSpanMs;
  let cursor: string | undefined;
  for (let page = 1; page <= pagesPerLedger; page += 1) {
    const listed = await listPage(ports, span, cursor);
    if (listed.isErr()) {
      triedAt = now;
      break;
    }
    const { items, unreadable = [], at = now } = listed.value;
    for (const item of unreadable) {
      reviews.push(orphanReview(item, 'unreadableAtProcessor'));
    }
    for (const item of items) {
      reached = item.openedAt;
      const payment = yield* await ports.store.payments.get(item.paymentId);
      if (isKnown(payment, item) || item.status === 'canceled') continue;
      const end = isBeingOpened(payment) ? 'later' : await settleOrphan(ports, item, now);
      if (end === 'canceled') canceled += 1;
      else if (end === 'later') missed ??= item.openedAt;
      else reviews.push(orphanReview(item, end));
    }
    cursor = listed.value.cursor;
    const isLast = cursor === undefined;
    // Capped at the processor's time, because a fast clock must not skip payments (D42).
    const { readBefore = isLast ? openedBefore : reached } = listed.value;
    reached = Math.max(reached, Math.min(readBefore, openedBefore, at - minOrphanAgeMs));
    if (isLast) {
      triedAt = now;
      break;
    }
  }
  return { canceled, reviews, reached, missed, triedAt };
}

/** Skips orphans that already have a review. */
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

function listPage(ports: Ports, span: SweepSpan, cursor: string | undefined) {
  return ask(ports, 'listPayments', () =>
    ports.processor.listPayments({
      ...span,
      installation: ports.installation,
      limit: pageSize,
      ...(cursor !== undefined && { cursor }),
    }),
  );
}
