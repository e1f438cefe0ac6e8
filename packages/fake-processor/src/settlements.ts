import {
  type EntriesPage,
  type EpochMs,
  err,
  type ListedPage,
  type ListedPayout,
  type ListRequest,
  ok,
  type Result,
} from '@chairside/core';
import { type BalanceEntry, balanceOf, byTime, type FakeFees, netOf } from './balance.ts';
import type { Rejection } from './errors.ts';
import type { FakeLedger } from './ledger.ts';
import { type FakePayout, payoutsOf } from './payouts.ts';

export type Settlements = ReturnType<typeof createSettlements>;

/** The balance of the fake's accounts. It follows from the payments, and from the payouts that failed. */
export function createSettlements(ledger: FakeLedger, fees: FakeFees, clock: { now(): EpochMs }) {
  function entriesIn(account: string): readonly BalanceEntry[] {
    const payments = ledger.list('payments').filter((entry) => entry.account === account);
    return payments.flatMap((entry) => balanceOf(entry, fees)).sort(byTime);
  }

  function payoutsIn(account: string): readonly FakePayout[] {
    const byCurrency = Map.groupBy(entriesIn(account), ({ currency }) => currency);
    const failedAt = (payout: string) => ledger.get('payouts', payout)?.failedAt;
    return [...byCurrency]
      .flatMap(([currency, entries]) =>
        payoutsOf(account, currency, entries, failedAt, clock.now()),
      )
      .sort(byTime);
  }

  return {
    entriesIn,
    payoutsIn,

    listEntries(request: ListRequest & { readonly payout?: string }): Listed<EntriesPage> {
      if (request.payout !== undefined) return entriesOfPayout(request, payoutsIn(request.ledger));
      const mine = entriesIn(request.ledger).filter(isOf(request));
      return pageOf(mine, request).map((page) => ({ ...page, items: page.items.map(shown) }));
    },

    listPayouts(request: ListRequest): Listed<ListedPage<ListedPayout>> {
      return pageOf(payoutsIn(request.ledger), request).map((page) => ({
        ...page,
        items: page.items.map(
          ({ account: _account, entries: _entries, repaid: _repaid, repaidMinor: _sum, ...rest }) =>
            rest,
        ),
      }));
    },

    /** From now on it has failed. Its money is in the next payout. */
    fail(account: string, reference: string): Result<void, 'unknownPayout'> {
      const payout = payoutsIn(account).find((one) => one.reference === reference);
      if (payout === undefined || payout.state === 'failed') return err('unknownPayout');
      const record = { failedAt: clock.now() };
      ledger.write([{ collection: 'payouts', id: reference, record }]);
      return ok();
    },
  };
}

type Listed<T> = Result<T, Rejection>;

function entriesOfPayout(
  request: ListRequest & { readonly payout?: string },
  payouts: readonly FakePayout[],
): Listed<EntriesPage> {
  const payout = payouts.find(({ reference }) => reference === request.payout);
  if (payout === undefined) return err('unknownPayout');
  return pageOf(payout.entries, request).map((page) => {
    const ours = page.items.filter(isOf(request));
    const others = page.items.filter((entry) => !ours.includes(entry));
    const isFirst = request.cursor === undefined;
    const { repaid, repaidMinor } = isFirst ? payout : { repaid: [], repaidMinor: 0n };
    return {
      ...page,
      items: ours.map(shown),
      othersMinor: others.reduce((sum, entry) => sum + netOf(entry), repaidMinor),
      repaid,
    };
  });
}

const isOf =
  ({ installation }: ListRequest) =>
  (entry: BalanceEntry) =>
    entry.installation === installation;

function shown({ installation: _installation, ...entry }: BalanceEntry) {
  return entry;
}

/** One page. The cursor is the place of its last item, so that new items change no earlier page. */
function pageOf<T extends { readonly openedAt: EpochMs; readonly reference: string }>(
  items: readonly T[],
  { openedFrom, openedBefore, limit, cursor }: ListRequest,
): Listed<{ readonly items: readonly T[]; readonly cursor?: string }> {
  if (limit < 1) return err('limitNotPositive');
  const after = placeIn(cursor);
  if (cursor !== undefined && after === undefined) return err('unknownCursor');
  const found = items.filter(
    (item) =>
      item.openedAt >= openedFrom &&
      item.openedAt < openedBefore &&
      (after === undefined || byTime(item, after) > 0),
  );
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  return ok({
    items: page,
    ...(last !== undefined && { cursor: `${last.openedAt}.${last.reference}` }),
  });
}

function placeIn(cursor = '') {
  const [, openedAt, reference] = /^(\d{1,16})\.(\w+)$/.exec(cursor) ?? [];
  return reference === undefined ? undefined : { openedAt: Number(openedAt), reference };
}
