import { commit, contained, valueOrReport } from '../frame/commit.ts';
import { ask, booksOf, readAtProcessor } from '../payment/carry.ts';
import { cannotRead } from '../payment/faults.ts';
import { isOpened, type Payment, reviewAfterMs } from '../payment/payment.ts';
import { booksToRestore } from '../payment/restored.ts';
import { changeReview, endedLater, newReviews, orphanReview } from '../payment/reviews.ts';
import { writeSeen } from '../payment/write.ts';
import type { Ports } from '../ports/ports.ts';
import type {
  EntriesPage,
  ListedEntry,
  ListedPage,
  ListedPayment,
  ListedPayout,
  ListedReturn,
  ListRequest,
  ProcessorError,
  ProcessorSettlements,
} from '../ports/processor.ts';
import type { Change, CommitError, StoreUnavailable } from '../ports/store.ts';
import type { Fault } from '../problems/problem.ts';
import { type Dispute, disputeStates } from '../refund/dispute.ts';
import type { Movement } from '../refund/movement.ts';
import { followReturns } from '../refund/returns.ts';
import {
  maxOthers,
  netMinor,
  type OtherEntry,
  type Payout,
  type SettlementEntry,
  settlementId,
} from '../statement/settlement.ts';
import { isOnItsWay } from '../statement/statement.ts';
import { type ResultAsync, resultOf, type Steps } from '../values/result.ts';
import { clip, toStorable } from '../values/text.ts';
import { dayMs, type EpochMs } from '../values/time.ts';
import { paymentsToRestore, restorationOf } from './restore.ts';
import type { Review } from './review.ts';
import {
  endOrphan,
  type FailedSince,
  type ItemEnd,
  isBeingOpened,
  isKnown,
  type ListToSweep,
  minOrphanAgeMs,
  type SweptList,
  sweepList,
} from './sweep-list.ts';
import {
  clockErrorMs,
  minSpanMs,
  type Restored,
  type SweptBooks,
  type SweptLists,
} from './swept-books.ts';

interface Swept {
  /** The number of payments without a record here that were canceled. */
  readonly canceled: number;
  /**
   * Payments that are captured or could not be canceled, and payouts that failed: the processor's ids, else
   * ours.
   */
  readonly needReview: readonly string[];
  /** More of the processor's lists can be read now; after a restore, creates wait for it. */
  readonly more: boolean;
}

const booksPerRun = 10;

/**
 * Finds payments at the processor that have no record here, because a create died before it wrote
 * one. It also finds refunds and disputes whose messages were lost. It touches only payments with this
 * installation's mark. A failure of one account's books or of a list does not stop the others.
 */
export async function sweep(ports: Ports): Promise<Swept> {
  const now = ports.clock.now();
  const listed = await ports.store.sweeps.listStale(now - minOrphanAgeMs - minSpanMs, booksPerRun);
  const stale = valueOrReport(ports, 'sweep', listed) ?? [];
  const unread = valueOrReport(ports, 'sweep', await resultOf(booksToRestore(ports))) ?? [];
  const isUnread = ({ books }: SweptBooks) => unread.some((one) => one.books === books);
  // Skips books that failed a moment ago. A clock that was ahead may have stored a future time.
  const isTried = ({ triedAt }: SweptBooks) => Math.abs(now - triedAt) < minSpanMs;
  const due = stale.filter((one) => !isTried(one) && !isUnread(one));
  const isBeyond = unread.length > booksPerRun;
  const runs = [
    ...unread.slice(0, booksPerRun).map(({ latest, ...swept }) => {
      return { swept, run: restoreBooks(ports, swept, latest, now, isBeyond) };
    }),
    ...due.map((swept) => {
      return { swept, run: sweepBooks(ports, swept, now, due.length === booksPerRun) };
    }),
  ];
  let canceled = 0;
  let more = false;
  const needReview: string[] = [];
  for (const { swept, run } of runs) {
    const end = valueOrReport(ports, 'sweep', await contained(ports, 'sweep', run));
    if (end === undefined) {
      // Books that fail each time must not keep the first places.
      // Another node may have got further meanwhile.
      const stored = valueOrReport(ports, 'sweep', await ports.store.sweeps.get(swept.books));
      const tried = { ...(stored ?? swept), triedAt: now };
      valueOrReport(ports, 'sweep', await commit(ports, [{ kind: 'putSweep', swept: tried }]));
      continue;
    }
    canceled += end.canceled;
    more ||= end.more;
    needReview.push(...end.needReview);
  }
  return { canceled, needReview, more };
}

/**
 * Reads the books' payments, and records the captures that a restored backup lacks.
 * @param latest the number of the process that has begun last.
 * @param isBeyond other books wait until these have an end.
 */
async function* restoreBooks(
  ports: Ports,
  swept: SweptBooks,
  latest: number,
  now: EpochMs,
  isBeyond: boolean,
): Steps<Swept, CommitError> {
  const { books } = swept;
  const list = paymentsToRestore(ports, now);
  const { restoration, ...begun } = restorationOf(swept, latest, now);
  const run = yield* sweepList(ports, list, books, begun, now + clockErrorMs);
  const end = run.isRead ? 'read' : run.isRefused ? 'refused' : undefined;
  const restored: Restored = { ...run.progress, restoration, ...(end !== undefined && { end }) };
  // The other lists go on from where they were: by then their payments are known here.
  const lists = { ...swept.lists, restored };
  yield* await commit(ports, [
    ...(yield* newReviews(ports, run.reviews)),
    { kind: 'putSweep', swept: { ...swept, triedAt: now, lists } },
  ]);
  // Books that cannot be read now must not keep a run busy.
  const isNext = end !== undefined && (isBeyond || restoration < latest);
  return { canceled: 0, needReview: idsOf(run.reviews), more: run.isUnderWay || isNext };
}

/**
 * Sweeps each list of the books, then records how far it came and what a person has to review.
 * @param isBeyond other books may be stale too.
 */
async function* sweepBooks(
  ports: Ports,
  swept: SweptBooks,
  now: EpochMs,
  isBeyond: boolean,
): Steps<Swept, StoreUnavailable> {
  const { books, sweptBefore } = swept;
  const until = now - minOrphanAgeMs;
  const found: SweptList[] = [];
  const { restored } = swept.lists ?? {};
  const lists: { -readonly [List in keyof SweptLists]: SweptLists[List] } = {
    ...(restored !== undefined && { restored }),
  };
  const recorded: Change[] = [];
  const payoutReviews: Review[] = [];
  for (const [name, list] of listsOf(ports, books, now, recorded, payoutReviews)) {
    const progress = swept.lists?.[name] ?? { sweptBefore };
    const run = yield* sweepList(ports, list, books, progress, until);
    lists[name] = run.progress;
    found.push(run);
  }
  const after: SweptBooks = {
    books,
    sweptBefore: Math.min(...found.map(({ progress }) => progress.sweptBefore)),
    // A pass that is under way goes on with the next run.
    triedAt: found.some(({ isUnderWay }) => isUnderWay) ? now - minSpanMs : now,
    lists,
  };
  // One commit: after a crash the next sweep finds them again (D43).
  // Two lists may show one payment.
  const all = [...payoutReviews, ...found.flatMap((one) => one.reviews)];
  const reviews = [...new Map(all.map((review) => [review.id, review])).values()];
  const opened = yield* newReviews(ports, reviews);
  const written = await commit(ports, [...opened, ...recorded, { kind: 'putSweep', swept: after }]);
  valueOrReport(ports, 'sweep', written);
  return {
    canceled: found.reduce((sum, one) => sum + one.canceled, 0),
    needReview: idsOf(reviews),
    // If it was not written, these books come first again, and must not keep a run busy.
    more: isBeyond && written.isOk(),
  };
}

function idsOf(reviews: readonly Review[]): readonly string[] {
  return reviews.map(({ reference, paymentId, id }) => reference ?? paymentId ?? id);
}

/**
 * The lists of the books, by their names. A processor may lack those of its settlements.
 * @param recorded receives the changes of settlements and payouts.
 * @param reviews receives the payouts for a person.
 */
function* listsOf(
  ports: Ports,
  books: string,
  now: EpochMs,
  recorded: Change[],
  reviews: Review[],
): Iterable<[Exclude<keyof SweptLists, 'restored'>, ListToSweep<{ readonly openedAt: EpochMs }>]> {
  const { refunds, disputes, settlements } = ports.processor;
  const returns = (call: string, read: ListToSweep<ListedReturn>['read']) =>
    returnsToSweep(ports, books, now, call, read);
  yield ['payments', paymentsToSweep(ports, books, now)];
  yield ['refunds', returns('listRecentRefunds', (request) => refunds.listRecent(request))];
  yield ['disputes', returns('listRecentDisputes', (request) => disputes.listRecent(request))];
  // The message of a dispute's end may be lost, long after the list has shown its beginning, and so may
  // that of an appeal (D45).
  const watched = (asked: ListRequest) => listWatchedDisputes(ports, asked);
  yield ['openDisputes', returns('listWatchedDisputes', watched)];
  if (settlements !== undefined) {
    const payouts = payoutsOfRun(ports, books, recorded, reviews);
    const run = { books, now, recorded, payouts };
    yield ['settlements', entriesToSweep(ports, settlements, run)];
    yield ['payouts', payoutsToSweep(ports, settlements, run)];
  }
}

/** The payments of the books: each one without a record here is ended. */
function paymentsToSweep(ports: Ports, books: string, now: EpochMs): ListToSweep<ListedPayment> {
  return {
    call: 'listPayments',
    pageSize: 100,
    read: (request) => ports.processor.listPayments(request),
    handle: (item, failedSince) => endUnlessKnown(ports, books, item, now, failedSince),
  };
}

async function* endUnlessKnown(
  ports: Ports,
  books: string,
  item: ListedPayment,
  now: EpochMs,
  failedSince: FailedSince,
): Steps<ItemEnd, StoreUnavailable> {
  const payment = yield* await ports.store.payments.get(item.paymentId);
  if (isKnown(payment, item)) {
    const isTakenBack = payment?.state === 'captured' && item.status !== 'captured';
    if (!isTakenBack) return 'done';
    return yield* recordReturnsOf(ports, books, item.paymentId, now, failedSince, followCapture);
  }
  if (item.status === 'canceled') return 'done';
  const end = isBeingOpened(payment)
    ? 'later'
    : await endOrphan(ports, item, now, payment, failedSince);
  return end === 'canceled' || end === 'later' ? end : orphanReview(item, end);
}

/** The page may be older than the capture, so the processor is asked before a person is. */
async function* followCapture(ports: Ports, payment: Payment, cause: string) {
  const read = await readAtProcessor(ports, payment);
  const seen = yield* read.mapErr(cannotRead);
  return seen === undefined ? payment : yield* await writeSeen(ports, payment, seen, cause);
}

/** The payouts of one run over the books, whose commit is yet to come. */
export function payoutsOfRun(ports: Ports, books: string, recorded: Change[], reviews: Review[]) {
  const changed = new Map<string, Payout>();
  async function* find(reference: string): Steps<Payout | undefined, StoreUnavailable> {
    const id = settlementId(books, reference);
    return changed.get(id) ?? (yield* await ports.store.payouts.get(id));
  }
  function put(payout: Payout, before: Payout | undefined): void {
    changed.set(payout.id, payout);
    recorded.push({ kind: 'putPayout', payout });
    if (hasComeBack(payout, before)) reviews.push(failureOf(payout));
  }
  return {
    find,
    put,
    async *change(reference: string, change: Partial<Payout>): Steps<void, StoreUnavailable> {
      const payout = yield* find(reference);
      if (payout !== undefined) put({ ...payout, ...change }, payout);
    },
    /** Another payout pays it again, so its review ends. If that one fails too, it has a review of its own. */
    async *repay(reference: string, replacedBy: string): Steps<void, StoreUnavailable> {
      const payout = yield* find(reference);
      if (payout === undefined) return;
      put({ ...payout, replacedBy }, payout);
      const { id } = failureOf(payout);
      const index = reviews.findIndex((one) => one.id === id);
      if (index >= 0) reviews.splice(index, 1);
      const review = yield* await ports.store.reviews.get(id);
      const isOpen = review !== undefined && review.resolvedAt === undefined;
      // A second end of one review would refuse the commit.
      if (!isOpen || payout.replacedBy !== undefined) return;
      const ended = { resolvedAt: ports.clock.now(), note: endedLater };
      recorded.push(changeReview(review, ended));
    },
  };
}

function failureOf({ account, reference, createdAt: openedAt }: Payout): Review {
  return orphanReview({ account, reference, openedAt }, 'payoutFailed');
}

type PayoutsOfRun = ReturnType<typeof payoutsOfRun>;

/**
 * Whether a person is told of it. Only people cancel a payout before it leaves, or take it back from the bank, and a
 * negative one brings no money.
 */
function hasComeBack({ state, amountMinor, replacedBy }: Payout, before: Payout | undefined) {
  if (state === before?.state || amountMinor <= 0n || replacedBy !== undefined) return false;
  return state === 'failed' || (state === 'canceled' && before?.state === 'paid');
}

/**
 * The entries of our payments in the books. Each is recorded once (D50). An entry that our records do not
 * explain shows a refund or dispute whose message was lost, so its payment is read.
 * @param recorded receives the changes, which are committed with the progress of the list.
 */
export function entriesToSweep(
  ports: Ports,
  settlements: ProcessorSettlements,
  { books, now, recorded, payouts }: RunOfBooks,
): ListToSweep<ListedEntry, EntriesPage> {
  return {
    call: 'listEntries',
    pageSize: 100,
    read: (request) => settlements.listEntries(request),
    async *handle(item, failedSince) {
      const settlement = yield* entryOf(ports, books, item);
      if (settlement === undefined) return 'done';
      recorded.push({ kind: 'putSettlement', settlement });
      if (settlement.kind === 'payment') return 'done';
      if (yield* isPaired(ports, settlement, recorded)) return 'done';
      // The payment's disputes are compared with its recorded entries too.
      const entries = recorded.filter(
        (one) => one.kind === 'putSettlement' && one.settlement.paymentId === settlement.paymentId,
      );
      if ((await commit(ports, entries)).isErr()) return 'later';
      return yield* recordReturnsOf(ports, books, item.paymentId, now, failedSince);
    },
    // Stryker disable next-line ArrayDeclaration: no payout has that text for a reference.
    async *handlePage({ returned = [] }) {
      for (const { reference, state } of returned) yield* payouts.change(reference, { state });
    },
  };
}

/** One run over the books. */
export interface RunOfBooks {
  readonly books: string;
  readonly now: EpochMs;
  /** Receives the changes, which are committed with the progress of the lists. */
  readonly recorded: Change[];
  readonly payouts: PayoutsOfRun;
}

/** Records of one payment that are compared. */
const maxPaired = 1000;

/** Whether our books have a movement for each entry of this amount. */
async function* isPaired(
  { store }: Ports,
  entry: SettlementEntry,
  recorded: readonly Change[],
): Steps<boolean, StoreUnavailable> {
  const { kind, subject, currency, amountMinor, paymentId } = entry;
  const isSame = (one: Movement | SettlementEntry) =>
    one.kind === kind &&
    one.subject === subject &&
    one.currency === currency &&
    one.amountMinor === amountMinor;
  const ours = yield* await store.movements.listByPayment(paymentId, maxPaired);
  const known = yield* await store.settlements.listByPayment(paymentId, maxPaired);
  const fresh = recorded.filter((one) => one.kind === 'putSettlement');
  const all = [...known, ...fresh.map(({ settlement }) => settlement)];
  const theirs = new Set(all.filter(isSame).map(({ id }) => id));
  return ours.filter(isSame).length >= theirs.size;
}

/** `undefined`: the payment is in other books, so the marks were copied. */
async function* entryOf(
  ports: Ports,
  books: string,
  { reference, openedAt, account, ...entry }: ListedEntry,
): Steps<SettlementEntry | undefined, StoreUnavailable> {
  const payment = yield* await ports.store.payments.get(entry.paymentId);
  if (payment !== undefined && booksOf(ports, payment.account) !== books) return undefined;
  return {
    id: settlementId(books, reference),
    account: payment?.account ?? account,
    ...(payment !== undefined && { businessId: payment.businessId }),
    ...entry,
    at: openedAt,
  };
}

/** A payout that was paid may fail for some days. A bank may be late by as much. */
const watchForMs = 14 * dayMs;
/** A payout that is still pending is not watched for longer. */
const longestWatchMs = 60 * dayMs;
/** The pages of payouts' entries that one run reads. The next run continues. */
const entryPagesPerRun = 20;

/** The payouts of the books, with their entries. They are listed again until they cannot change. */
export function payoutsToSweep(
  ports: Ports,
  settlements: ProcessorSettlements,
  { books, now, recorded, payouts }: RunOfBooks,
): ListToSweep<ListedPayout> {
  let pagesLeft = entryPagesPerRun;

  async function* readEntries(begun: Payout): Steps<Payout, StoreUnavailable> {
    let payout = begun;
    for (; !payout.isRead && pagesLeft > 0; pagesLeft -= 1) {
      const { cursor: after, ...before } = payout;
      const listed = await ask(ports, 'listEntries', () =>
        settlements.listEntries({
          books,
          installation: ports.installation,
          payout: payout.reference,
          openedFrom: 0,
          openedBefore: Number.MAX_SAFE_INTEGER,
          limit: 100,
          ...(after !== undefined && { cursor: after }),
        }),
      );
      if (listed.isErr()) {
        // A cursor that is no longer accepted: the entries are read from the first again.
        const isLost = listed.error.kind === 'rejected';
        return isLost ? { ...before, ...unread } : payout;
      }
      payout = yield* withPage(before, listed.value);
    }
    return payout;
  }

  async function* withPage(
    before: Omit<Payout, 'cursor'>,
    { items, othersMinor = 0n, others = [], repaid = [], cursor }: EntriesPage,
  ): Steps<Payout, StoreUnavailable> {
    let { oursMinor } = before;
    let sumOfOthers = before.othersMinor + othersMinor;
    const named = others.map(kept);
    for (const item of items) {
      const entry = yield* entryOf(ports, books, item);
      if (entry === undefined) {
        sumOfOthers += netMinor(item);
        const { reference, kind, openedAt: at } = item;
        named.push({ reference, kind, amountMinor: netMinor(item), at });
        continue;
      }
      oursMinor += netMinor(item);
      recorded.push({ kind: 'putSettlement', settlement: { ...entry, payoutId: before.id } });
    }
    for (const reference of repaid) {
      yield* payouts.repay(reference, before.id);
    }
    const first = [...before.others, ...named].slice(0, maxOthers);
    const sums = { ...before, oursMinor, othersMinor: sumOfOthers, others: first };
    return cursor === undefined ? { ...sums, isRead: true } : { ...sums, cursor };
  }

  return {
    call: 'listPayouts',
    pageSize: 100,
    read: (request) => settlements.listPayouts(request),
    async *handle(item): Steps<ItemEnd, StoreUnavailable> {
      const stored = yield* payouts.find(item.reference);
      const payout = yield* readEntries(followPayout(books, stored, item));
      payouts.put(payout, stored);
      if (item.takesBack !== undefined) {
        // The bank may refuse to give the money back.
        const state = isOnItsWay(item) ? 'reversed' : 'paid';
        yield* payouts.change(item.takesBack, { state });
      }
      return isWatched(payout, now) ? 'later' : 'done';
    },
  };
}

/** A payout whose entries are read from the first. */
const unread = { oursMinor: 0n, othersMinor: 0n, others: [] } as const;

/** In code points; a processor's own texts are shorter. */
const maxKindLength = 64;
const maxDescriptionLength = 255;

function bounded(text: string, max: number): string {
  return clip(toStorable(text), max);
}

function kept({ reference, kind, description, amountMinor, at }: OtherEntry): OtherEntry {
  return {
    reference: bounded(reference, maxDescriptionLength),
    kind: bounded(kind, maxKindLength),
    ...(description !== undefined && {
      description: bounded(description, maxDescriptionLength),
    }),
    amountMinor,
    at,
  };
}

function isWatched(payout: Payout, now: EpochMs): boolean {
  const { isItemized, isRead, state, createdAt, arrivesAt } = payout;
  if (now - createdAt >= longestWatchMs) return false;
  // One that fails early gets its entries later.
  const mayChange = (state === 'paid' || !isItemized) && now - arrivesAt < watchForMs;
  return !isRead || state === 'pending' || mayChange;
}

function followPayout(
  books: string,
  stored: Payout | undefined,
  { openedAt: createdAt, takesBack: _takesBack, ...seen }: ListedPayout,
): Payout {
  const id = settlementId(books, seen.reference);
  const begun = { isRead: !seen.isItemized, ...unread };
  // A processor may take some hours to name the entries of a new payout.
  const read = stored?.isItemized === seen.isItemized ? stored : begun;
  return { ...begun, ...stored, ...read, id, account: books, createdAt, ...seen };
}

/**
 * The refunds or disputes of the books: those whose messages were lost are recorded.
 * @param read one of the processor's lists.
 */
export function returnsToSweep(
  ports: Ports,
  books: string,
  now: EpochMs,
  call: string,
  read: ListToSweep<ListedReturn>['read'],
): ListToSweep<ListedReturn> {
  // One payment may have many; its records are compared with the processor's once.
  const followed = new Set<string>();
  return {
    call,
    read,
    // Each payment costs two calls.
    pageSize: 20,
    async *handle(item, failedSince) {
      if (followed.has(item.paymentId)) return 'done';
      followed.add(item.paymentId);
      return yield* recordReturnsOf(ports, books, item.paymentId, now, failedSince);
    },
  };
}

/** A closed dispute is read once a day for so many days, because an appeal may open it again. */
const watchForDays = 90;
/** Closed disputes are read from the store in larger pages, because few of them are due. */
const closedPerPage = 500;

/**
 * The disputes of any books whose messages may have been lost, as a list of the processor would show
 * them: those that are open here, and those whose daily time lies in the span.
 */
export function listWatchedDisputes(
  { store }: Ports,
  { limit, cursor, openedFrom, openedBefore }: ListRequest,
): ResultAsync<ListedPage<ListedReturn>, ProcessorError> {
  const [asked, after] = (cursor ?? '').split(' ');
  const state = disputeStates.find((one) => one === asked) ?? 'open';
  const size = state === 'open' ? limit : closedPerPage;
  return store.disputes
    .list(state, size, after)
    .map((found) => {
      const last = found.length === size ? found.at(-1)?.id : undefined;
      const next = disputeStates[disputeStates.indexOf(state) + 1];
      const end = last === undefined ? next : `${state} ${last}`;
      const items = found.filter((one) => state === 'open' || isDue(one, openedFrom, openedBefore));
      return { items, ...(end !== undefined && { cursor: end }) };
    })
    .mapErr(() => ({ kind: 'unavailable', outcome: 'notApplied', answered: false }));
}

/** The spans of a list follow each other without a gap, so each day has one that is due. */
function isDue({ updatedAt }: Dispute, from: EpochMs, before: EpochMs): boolean {
  const days = Math.max(1, Math.ceil((from - updatedAt) / dayMs));
  return days <= watchForDays && updatedAt + days * dayMs < before;
}

/** Compares a payment's refunds and disputes with the processor's, or its capture. */
async function* recordReturnsOf(
  ports: Ports,
  books: string,
  paymentId: string,
  now: EpochMs,
  failedSince: FailedSince,
  follow: (
    ...about: Parameters<typeof followReturns>
  ) => Steps<unknown, Fault<'serviceUnavailable'> | CommitError> = followReturns,
): Steps<ItemEnd, StoreUnavailable> {
  const payment = yield* await ports.store.payments.get(paymentId);
  if (payment === undefined || !isOpened(payment)) return 'done';
  // Marks can be copied, so the payment must be in these books. A copied database leaves what was begun in the
  // original alone (D210).
  if (booksOf(ports, payment.account) !== books) return 'done';
  if (payment.createdAt < (ports.home?.since() ?? 0)) return 'done';
  const followed = await contained(ports, 'sweep', follow(ports, payment, 'reconcile'));
  if (followed.isOk()) return 'done';
  const openedAt = failedSince(paymentId);
  if (now - openedAt < reviewAfterMs) return 'later';
  const { account, reference } = payment;
  return orphanReview({ account, paymentId, openedAt, reference }, 'unreadableAtProcessor');
}
