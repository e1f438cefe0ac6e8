import { report } from '../../call/report.ts';
import type { ResultAsync, Steps } from '../../domain/result.ts';
import type { Review } from '../../domain/review.ts';
import type { ListPass, ListProgress } from '../../domain/swept-ledger.ts';
import { type EpochMs, minuteMs, secondMs } from '../../domain/time.ts';
import type { Ports } from '../../ports/ports.ts';
import type {
  ListedPage,
  ListedPayment,
  ListRequest,
  ProcessorError,
} from '../../ports/processor-calls.ts';
import type { StoreUnavailable } from '../../ports/store.ts';
import { ask } from '../ask.ts';
import { orphanReview } from '../payment/reviews.ts';
import { minOrphanAgeMs } from './settle-orphan.ts';

/** One of the processor's lists, and what a sweep does with its items. */
export interface ListToSweep<Item> {
  /** The name of the call, for the observer. */
  readonly call: string;
  readonly pageSize: number;
  read(request: ListRequest): ResultAsync<ListedPage<Item>, ProcessorError>;
  settle(item: Item): Steps<ItemEnd, StoreUnavailable>;
}

/** `later`: the next pass begins with this item. */
export type ItemEnd = 'done' | 'canceled' | 'later' | Review;

/** The result of one run over one list. */
export interface SweptList {
  readonly progress: ListProgress;
  readonly canceled: number;
  readonly reviews: readonly Review[];
  /** The pass continues with the next run, at once. */
  readonly isUnderWay: boolean;
}

/** The bounds of one list in one run. A run that is stopped loses its progress, so it is short. */
const pagesPerRun = 20;
const runForMs = 10 * secondMs;
/** Shorter spans are skipped. */
export const minSpanMs = 10 * minuteMs;

/**
 * Reads a part of a list, from where the last run ended (D51). Nothing holds the list back: the next
 * pass begins with an item that cannot be settled now, and an unreadable item is reported or becomes
 * a review.
 * @param until items that were opened later are left to the next pass.
 */
export async function* sweepList<Item extends Pick<ListedPayment, 'openedAt'>>(
  ports: Ports,
  list: ListToSweep<Item>,
  ledger: string,
  { pass: begun, ...swept }: ListProgress,
  until: EpochMs,
): Steps<SweptList, StoreUnavailable> {
  const startedAt = ports.clock.now();
  const { sweptBefore, reportedBefore = 0 } = swept;
  let pass: ListPass = begun ?? { before: until };
  let canceled = 0;
  const reviews: Review[] = [];
  const end = (progress: ListProgress, isUnderWay = false): SweptList => ({
    progress,
    canceled,
    reviews,
    isUnderWay,
  });
  if (begun === undefined && until - sweptBefore < minSpanMs) return end(swept);
  for (let page = 1; page <= pagesPerRun; page += 1) {
    const span = { ledger, openedFrom: sweptBefore, openedBefore: pass.before };
    const { cursor: after } = pass;
    const request = { ...span, installation: ports.installation, limit: list.pageSize };
    const listed = await ask(ports, list.call, () =>
      list.read(after === undefined ? request : { ...request, cursor: after }),
    );
    if (listed.isErr()) {
      // A processor may drop cursors. The span is then read again from its beginning.
      const isBegun = after !== undefined && listed.error.kind !== 'rejected';
      return end(isBegun ? { ...swept, pass } : swept);
    }
    const { items, unreadable = [], skipped = [], at, cursor } = listed.value;
    for (const { reference, openedAt = reportedBefore } of skipped) {
      // The next pass begins before the end of this pass, so some items come again.
      if (openedAt < reportedBefore) continue;
      report(ports, { kind: 'failure', name: list.call, outcome: 'unreadable', reference });
    }
    for (const item of unreadable) reviews.push(orphanReview(item, 'unreadableAtProcessor'));
    // A clock that is ahead of the processor's must not skip what is opened soon (D42).
    if (at !== undefined) pass = restartedAt(pass, at - minOrphanAgeMs);
    for (const item of items) {
      const settled = yield* list.settle(item);
      if (settled === 'canceled') canceled += 1;
      else if (settled === 'later') pass = restartedAt(pass, item.openedAt);
      else if (settled !== 'done') reviews.push(settled);
    }
    if (cursor === undefined) {
      return end({
        sweptBefore: Math.max(sweptBefore, pass.restartAt ?? pass.before),
        // An item that was opened after the processor sent this page is not on it.
        reportedBefore: Math.max(reportedBefore, Math.min(pass.before, at ?? pass.before)),
      });
    }
    pass = { ...pass, cursor };
    if (ports.clock.now() - startedAt >= runForMs) break;
  }
  return end({ ...swept, pass }, true);
}

/** The pass, if the next one has to begin at this time or earlier. */
function restartedAt(pass: ListPass, at: EpochMs): ListPass {
  const { restartAt = pass.before } = pass;
  return at < restartAt ? { ...pass, restartAt: at } : pass;
}
