import type { Steps } from '../../domain/result.ts';
import {
  netMinor,
  type Payout,
  type SettlementEntry,
  settlementId,
} from '../../domain/settlement.ts';
import { type EpochMs, hourMs } from '../../domain/time.ts';
import type { Change } from '../../ports/change.ts';
import type { Ports } from '../../ports/ports.ts';
import type { ProcessorSettlements } from '../../ports/processor.ts';
import type { EntriesPage, ListedEntry, ListedPayout } from '../../ports/processor-calls.ts';
import type { StoreUnavailable } from '../../ports/store.ts';
import { ask, ledgerOf } from '../ask.ts';
import type { ItemEnd, ListToSweep } from './sweep-list.ts';

/**
 * The entries of our payments in a ledger. Each is recorded once (D50).
 * @param recorded receives the changes, which are committed with the progress of the list.
 */
export function entriesToSweep(
  ports: Ports,
  settlements: ProcessorSettlements,
  ledger: string,
  recorded: Change[],
): ListToSweep<ListedEntry> {
  return {
    call: 'listEntries',
    pageSize: 100,
    read: (request) => settlements.listEntries(request),
    async *settle(item) {
      const settlement = yield* entryOf(ports, ledger, item);
      if (settlement !== undefined) recorded.push({ kind: 'putSettlement', settlement });
      return 'done';
    },
  };
}

/** `undefined`: the payment is in another ledger, so the marks were copied. */
async function* entryOf(
  ports: Ports,
  ledger: string,
  { reference, openedAt, account, ...entry }: ListedEntry,
): Steps<SettlementEntry | undefined, StoreUnavailable> {
  const payment = yield* await ports.store.payments.get(entry.paymentId);
  if (payment !== undefined && ledgerOf(ports, payment.account) !== ledger) return undefined;
  return {
    id: settlementId(ledger, reference),
    account: payment?.account ?? account,
    ...(payment !== undefined && { businessId: payment.businessId }),
    ...entry,
    at: openedAt,
  };
}

/** A payout that was paid may fail for some days. A bank may be late by as much. */
const watchForMs = 14 * 24 * hourMs;
/** A payout that is still pending is not watched for longer. */
const longestWatchMs = 60 * 24 * hourMs;
/** The pages of payouts' entries that one run reads. The next run continues. */
const entryPagesPerRun = 20;

/** The payouts of a ledger, with their entries. They are listed again until they cannot change. */
export function payoutsToSweep(
  ports: Ports,
  settlements: ProcessorSettlements,
  ledger: string,
  now: EpochMs,
  recorded: Change[],
): ListToSweep<ListedPayout> {
  let pagesLeft = entryPagesPerRun;
  /** The payouts of this run, whose commit is yet to come. */
  const changed = new Map<string, Payout>();

  async function* find(reference: string): Steps<Payout | undefined, StoreUnavailable> {
    const id = settlementId(ledger, reference);
    return changed.get(id) ?? (yield* await ports.store.payouts.get(id));
  }

  function put(payout: Payout): void {
    changed.set(payout.id, payout);
    recorded.push({ kind: 'putPayout', payout });
  }

  async function* readEntries(begun: Payout): Steps<Payout, StoreUnavailable> {
    let payout = begun;
    for (; !payout.isRead && pagesLeft > 0; pagesLeft -= 1) {
      const { cursor: after, ...before } = payout;
      const listed = await ask(ports, 'listEntries', () =>
        settlements.listEntries({
          ledger,
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
        return isLost ? { ...before, oursMinor: 0n, othersMinor: 0n } : payout;
      }
      payout = yield* withPage(before, listed.value);
    }
    return payout;
  }

  async function* withPage(
    before: Omit<Payout, 'cursor'>,
    { items, othersMinor = 0n, repaid = [], cursor }: EntriesPage,
  ): Steps<Payout, StoreUnavailable> {
    let { oursMinor } = before;
    let sumOfOthers = before.othersMinor + othersMinor;
    for (const item of items) {
      const entry = yield* entryOf(ports, ledger, item);
      if (entry === undefined) {
        sumOfOthers += netMinor(item);
        continue;
      }
      oursMinor += netMinor(item);
      recorded.push({ kind: 'putSettlement', settlement: { ...entry, payoutId: before.id } });
    }
    for (const reference of repaid) {
      const failed = yield* find(reference);
      if (failed !== undefined) put({ ...failed, replacedBy: before.id });
    }
    const sums = { ...before, oursMinor, othersMinor: sumOfOthers };
    return cursor === undefined ? { ...sums, isRead: true } : { ...sums, cursor };
  }

  return {
    call: 'listPayouts',
    pageSize: 100,
    read: (request) => settlements.listPayouts(request),
    async *settle(item): Steps<ItemEnd, StoreUnavailable> {
      const stored = yield* find(item.reference);
      const payout = yield* readEntries(followPayout(ledger, stored, item));
      put(payout);
      return isWatched(payout, now) ? 'later' : 'done';
    },
  };
}

function isWatched({ isRead, state, createdAt, arrivesAt }: Payout, now: EpochMs): boolean {
  if (now - createdAt >= longestWatchMs) return false;
  const mayChange = state === 'pending' || (state === 'paid' && now - arrivesAt < watchForMs);
  return !isRead || mayChange;
}

function followPayout(
  ledger: string,
  stored: Payout | undefined,
  { openedAt: createdAt, ...seen }: ListedPayout,
): Payout {
  const id = settlementId(ledger, seen.reference);
  const unread = { isRead: !seen.isItemized, oursMinor: 0n, othersMinor: 0n };
  // A processor may take some hours to name the entries of a new payout.
  const read = stored?.isItemized === seen.isItemized ? stored : unread;
  return { ...unread, ...stored, ...read, id, account: ledger, createdAt, ...seen };
}
