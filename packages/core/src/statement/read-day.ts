import type { Business } from '../host/host.ts';
import { backoffMs, booksOf } from '../payment/carry.ts';
import type { Payment } from '../payment/payment.ts';
import type { Ports } from '../ports/ports.ts';
import type { Store, StoreUnavailable } from '../ports/store.ts';
import type { Refund } from '../refund/refund.ts';
import type { ShareEntry } from '../share/share.ts';
import type { Tender } from '../tender/tender.ts';
import { clockErrorMs } from '../upkeep/swept-books.ts';
import { Result, type Steps } from '../values/result.ts';
import { byText } from '../values/text.ts';
import {
  dayMs,
  type EpochMs,
  hourMs,
  minuteMs,
  parseTimestamp,
  type Span,
} from '../values/time.ts';
import type { Payout, PayoutOfDay, SettlementEntry } from './settlement.ts';
import {
  type AccountProgress,
  agrees,
  type DayRecords,
  isAwaited,
  type PaymentTrace,
  pairDay,
  type StatementItem,
} from './statement.ts';

/** Records of one kind that a statement reads at most. A shop takes a payment each second with fewer. */
const maxRecords = 20_000;
/** Records of one payment that explain a difference. */
const maxTraced = 1000;
/** Records that are looked up together. */
const readAtOnce = 100;
/** Payouts that paid a failed one again, one after the other. */
const maxReplacements = 10;

/** One day of a statement. */
export interface DayOfRead {
  /** `YYYY-MM-DD`. */
  readonly day: string;
  readonly span: Span;
}

/** Everything that a statement is computed from. */
export interface DaysRead {
  /** By day: an amount on two days is an item of each. */
  readonly items: readonly (readonly [day: string, item: StatementItem])[];
  /** The payments of all items, as far as they have records. */
  readonly payments: ReadonlyMap<string, Payment>;
  readonly traces: ReadonlyMap<string, PaymentTrace>;
  /** By our ids, the payouts in the entries. */
  readonly payouts: ReadonlyMap<string, PayoutOfDay>;
  /** The processor's entries were read to this time; `undefined` if it lists none. */
  readonly readUntil: EpochMs | undefined;
  /**
   * Upkeep has compared our records with the processor's to this time. Without the processor's entries,
   * nothing from before it is unsettled either.
   */
  readonly sweptBefore: EpochMs;
  /** The accounts whose entries were not read to the end of the days. */
  readonly waitsFor: readonly AccountProgress[];
  /** What was paid without a card, by day, in order of time. */
  readonly tenders: readonly (readonly [day: string, tender: Tender])[];
  /** Who gained or lost a part of a payment, by day, in order of time. */
  readonly shares: readonly (readonly [day: string, entry: ShareEntry])[];
}

/**
 * Reads days that follow each other; `undefined` if they have too many records.
 * @param accounts whose entries count. A host may keep businesses elsewhere, without the accounts of before.
 */
export async function* readDays(
  ports: Ports,
  business: Business,
  days: readonly DayOfRead[],
  accounts: ReadonlySet<string> = new Set(ownAccounts(business)),
): Steps<DaysRead | undefined, StoreUnavailable> {
  const { store, processor } = ports;
  const span = wholeOf(days);
  const limit = maxRecords + 1;
  const { id } = business;
  // Read before the figures: what upkeep records in the meantime must not close a day that lacks it.
  const progress = yield* readProgress(ports, accounts);
  // The processor's entries would show what is unsettled here.
  const endedUntil =
    processor.settlements === undefined ? yield* endedBefore(ports, id, accounts) : undefined;
  // Begun and awaited together, so that a store reads them at once (D71), and one that rejects leaves
  // no rejected promise behind.
  const reads = await Promise.all([
    store.payments.listCaptured(id, span, limit),
    store.movements.list(id, span, limit),
    store.settlements.list(id, span, limit),
    store.tenders.list(id, span, limit),
    store.shares.list(id, span, limit),
    // A host's own businesses may forget the account of a capture whose reply was lost.
    store.payments.listOpen(id, maxOpen),
    Promise.all([...accounts].map((one) => store.settlements.listUnknown(one, span, limit))),
  ]);
  const captures = yield* reads[0];
  const movements = yield* reads[1];
  const known = yield* reads[2];
  const tendered = yield* reads[3];
  const entered = yield* reads[4];
  const open = yield* reads[5];
  const used = new Set([...captures, ...movements, ...known].map((record) => record.account));
  // The accounts of the records count too.
  const withUsed = new Set([...accounts, ...used, ...open.map(({ account }) => account)]);
  if (withUsed.size > accounts.size) return yield* readDays(ports, business, days, withUsed);
  const unknown: SettlementEntry[] = [];
  for (const listed of reads[6]) unknown.push(...(yield* listed));
  const all = [captures, movements, known, unknown, tendered, entered];
  if (all.some(({ length }) => length > maxRecords)) return undefined;

  const counted = progress.filter((one) =>
    isWaitedFor(one, business, used, span, ports.clock.now()),
  );
  const swept = earliest(
    ports,
    counted.map(({ sweptBefore }) => sweptBefore),
  );
  const listedBefore = earliest(
    ports,
    counted.map(({ listedBefore }) => listedBefore),
  );
  const waitsFor = counted.filter(({ listedBefore }) => listedBefore < span.until);
  const sweptBefore = Math.min(swept, endedUntil ?? swept);
  const readUntil = processor.settlements === undefined ? undefined : listedBefore;
  const payments = new Map(captures.map((payment) => [payment.id, payment]));
  // Those of refunds and disputes were captured on an earlier day.
  const earlier = idsOf([...movements, ...known, ...unknown]).filter((one) => !payments.has(one));
  for (const payment of yield* readEach(earlier, (one) => store.payments.get(one))) {
    if (payment !== undefined) payments.set(payment.id, payment);
  }
  // A payment may have got its record after its entry, or belong to another shop of the account.
  const isOurs = ({ paymentId }: SettlementEntry) =>
    (payments.get(paymentId)?.businessId ?? id) === id;
  const entries = [...known, ...unknown.filter(isOurs)];
  const items = days.flatMap(({ day, span }) => {
    const ofDay: DayRecords = {
      captures: captures.filter(({ capturedAt = span.from }) => isIn(span, capturedAt)),
      movements: movements.filter(({ at }) => isIn(span, at)),
      entries: entries.filter(({ at }) => isIn(span, at)),
      payments,
    };
    return pairDay(ofDay).map((item) => [day, item] as const);
  });
  const differing = items.flatMap(([, item]) =>
    readUntil !== undefined && !agrees(item) && !isAwaited(item, readUntil) ? [item] : [],
  );
  const traces = yield* readTraces(ports, payments, differing);
  const payouts = yield* readPayouts(ports, entries);
  const tenders = byDay(days, tendered.flatMap(byPart));
  const shares = byDay(
    days,
    entered.filter(({ amountMinor, tipMinor }) => amountMinor !== 0n || tipMinor !== 0n),
  );
  return { items, payments, traces, payouts, readUntil, sweptBefore, waitsFor, tenders, shares };
}

/** Cash for a shared payment was each barber's whose part it gave back. */
function byPart(tender: Tender): readonly Tender[] {
  const { id, parts } = tender;
  if (parts === undefined) return [tender];
  return parts.map((part, index) => {
    const { barberId, barberName = barberId } = part;
    return { ...tender, ...part, barberName, id: index === 0 ? id : `${id}-${index}` };
  });
}

function byDay<T extends { readonly id: string; readonly at: EpochMs }>(
  days: readonly DayOfRead[],
  records: readonly T[],
): readonly (readonly [day: string, record: T])[] {
  return days.flatMap(({ day, span }) => {
    const ofDay = records.filter(({ at }) => isIn(span, at));
    // Stores have any order among equal times.
    const ordered = ofDay.toSorted((a, b) => a.at - b.at || byText(a.id, b.id));
    return ordered.map((record) => [day, record] as const);
  });
}

function isIn({ from, until }: Span, at: EpochMs): boolean {
  return at >= from && at < until;
}

/** The present account and those of before. */
export function ownAccounts(business: Business | undefined): readonly string[] {
  const { processorAccount: account, earlierAccounts } = business ?? {};
  // A host's own database may return `null`.
  const present = account == null ? [] : [account];
  return [...present, ...(earlierAccounts ?? [])].map(({ id }) => id);
}

/** The time from the first day's start to the last one's end. */
export function wholeOf(days: readonly DayOfRead[]): Span {
  return {
    from: Math.min(...days.map(({ span }) => span.from)),
    until: Math.max(...days.map(({ span }) => span.until)),
  };
}

/** Looks up records, some of them at a time. */
export async function* readEach<T, R>(
  all: readonly T[],
  read: (one: T) => PromiseLike<Result<R, StoreUnavailable>>,
): Steps<readonly R[], StoreUnavailable> {
  const found: R[] = [];
  for (let rest = all; rest.length > 0; rest = rest.slice(readAtOnce)) {
    const some = await Promise.all(rest.slice(0, readAtOnce).map(read));
    found.push(...(yield* Result.combine(some)));
  }
  return found;
}

/** An account of before whose entries could not be read for so long keeps no day open. */
const retiredAfterMs = 180 * dayMs;

/** Whether a day is open until this account's entries are read past its end. */
export function isWaitedFor(
  { account, listedBefore, begunAt = 0 }: AccountProgress,
  { processorAccount, earlierAccounts, accountChangedAt = 0 }: Business,
  used: ReadonlySet<string>,
  { from, until }: Span,
  now: EpochMs,
): boolean {
  // A new account must not open again what the others have closed.
  const isSecond = (earlierAccounts ?? []).length + used.size > 0;
  if (begunAt >= until && isSecond && !used.has(account)) return false;
  if (account === processorAccount?.id) return accountChangedAt < until || used.has(account);
  const { retiredAt } = earlierAccounts?.find(({ id }) => id === account) ?? {};
  const isRetired = retiredAt !== undefined && (parseTimestamp(retiredAt) ?? from) <= from;
  return !isRetired && now - listedBefore < retiredAfterMs;
}

/** Books without a sweep have nothing to read: no account of ours is known there. */
export async function* readProgress(
  ports: Ports,
  accounts: Iterable<string>,
): Steps<readonly AccountProgress[], StoreUnavailable> {
  const progress = await Promise.all(
    [...accounts].map(async (account) => {
      const read = await ports.store.sweeps.get(booksOf(ports, account));
      return read.map((swept): AccountProgress[] => {
        if (swept === undefined) return [];
        const { sweptBefore, triedAt, lists } = swept;
        const list = ports.processor.settlements ? lists?.settlements : lists?.payments;
        const { sweptBefore: listedBefore } = lists?.settlements ?? swept;
        // Without that list, an earlier version may have read the others.
        const isUnread = list ? list.reportedBefore === undefined : triedAt === sweptBefore;
        const begunAt = isUnread ? listedBefore + clockErrorMs : undefined;
        return [{ account, sweptBefore, listedBefore, begunAt }];
      });
    }),
  );
  return (yield* Result.combine(progress)).flat();
}

/** Without a list that was read, a day closes as late as with one: what was begun on it has ended by then. */
function earliest({ clock }: Ports, times: readonly EpochMs[]): EpochMs {
  return times.reduce((first, at) => Math.min(first, at), clock.now() - hourMs);
}

async function* readTraces(
  { store }: Ports,
  payments: ReadonlyMap<string, Payment>,
  meant: readonly OfPayment[],
): Steps<ReadonlyMap<string, PaymentTrace>, StoreUnavailable> {
  const read = async (id: string) =>
    Result.combine(
      await Promise.all([
        store.movements.listByPayment(id, maxTraced),
        store.settlements.listByPayment(id, maxTraced),
      ]),
    ).map(
      ([movements, entries]) => [id, { payment: payments.get(id), movements, entries }] as const,
    );
  return new Map(yield* readEach(idsOf(meant), read));
}

interface OfPayment {
  readonly paymentId: string;
}

function idsOf(meant: readonly OfPayment[]): readonly string[] {
  return [...new Set(meant.map(({ paymentId }) => paymentId))];
}

async function* readPayouts(
  { store }: Ports,
  entries: readonly SettlementEntry[],
): Steps<ReadonlyMap<string, PayoutOfDay>, StoreUnavailable> {
  const payouts = new Map<string, PayoutOfDay>();
  for (const id of new Set(entries.flatMap(({ payoutId }) => payoutId ?? []))) {
    const payout = yield* await store.payouts.get(id);
    if (payout === undefined) continue;
    let paying = payout;
    for (let hops = 1; paying.replacedBy !== undefined && hops <= maxReplacements; hops += 1) {
      const next: Payout | undefined = yield* await store.payouts.get(paying.replacedBy);
      if (next === undefined) break;
      paying = next;
    }
    payouts.set(id, { payout, paying });
  }
  return payouts;
}

/** The longest wait for the next check of what is open. */
const longestCheckMs = hourMs;
/** Open payments and refunds that are looked at. With more, no day is closed. */
const maxOpen = 1000;

/**
 * The time before which no open payment can have been captured, and no refund made, without a record of it
 * here. A processor may have done so although its reply was lost (D50).
 */
async function* endedBefore(
  { store, clock }: Ports,
  businessId: string,
  accounts: ReadonlySet<string>,
): Steps<EpochMs, StoreUnavailable> {
  const now = clock.now();
  // Whenever their next check is due: a wrong clock may have postponed it.
  const open = yield* await store.payments.listOpen(businessId, maxOpen);
  const refunds = yield* listOpenRefunds(store, now);
  if (open.length >= maxOpen || refunds.length >= maxOpen) return 0;
  const unknown = refunds.filter((refund) => isUnknown(refund) && accounts.has(refund.account));
  const times = [...open.map(uncapturedBefore), ...unknown.map(({ createdAt }) => createdAt)];
  return times.reduce((first, at) => Math.min(first, at), now);
}

/** The pending refunds, and others whose keys are still kept, if these are not too many. */
async function* listOpenRefunds(store: Store, now: EpochMs) {
  const all = yield* await store.refunds.listDue(Number.MAX_SAFE_INTEGER, maxOpen);
  if (all.length < maxOpen) return all;
  return yield* await store.refunds.listDue(now + longestCheckMs + 5 * minuteMs, maxOpen);
}

/** The processor may have made it. */
function isUnknown({ state, acceptedAt }: Refund): boolean {
  return state === 'pending' && acceptedAt === undefined;
}

/** When the open payment was last known not to be captured. It never moves, because `noted` keeps a kind's first line. */
export function uncapturedBefore(payment: Payment): EpochMs {
  const { createdAt, work, reserved, timeline, nextCheckAt = 0, checks } = payment;
  // Both are written after a read, and before the request that may have had an effect.
  const since = (what: string) => timeline.find((line) => line.what === what)?.at ?? createdAt;
  if (reserved) return since('capturing');
  if (work?.kind === 'cancel') return since('canceling');
  if (work !== undefined) return createdAt;
  // Checks in vain since then have each waited longer.
  let waitedMs = longestCheckMs;
  for (let check = 0; check < checks; check += 1) waitedMs += backoffMs(check);
  return Math.max(createdAt, nextCheckAt - waitedMs);
}
