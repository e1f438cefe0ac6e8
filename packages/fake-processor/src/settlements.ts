import { type EpochMs, err, ok, type Result } from '@chairside/core';
import type {
  EntriesPage,
  ListedPage,
  ListedPayout,
  ListRequest,
  ReturnedPayout,
} from '@chairside/core/ports';
import { type BalanceEntry, balanceOf, byTime, type FakeFees, netOf } from './balance.ts';
import type { Rejection } from './errors.ts';
import { pageOf } from './listing.ts';
import { type FakePayout, payoutsOf } from './payouts.ts';
import type { FakeStorage } from './storage.ts';

export type Settlements = ReturnType<typeof createSettlements>;

/** The balance of the fake's accounts. It follows from the payments, and from the payouts that failed. */
export function createSettlements(storage: FakeStorage, fees: FakeFees, clock: { now(): EpochMs }) {
  function entriesIn(account: string): readonly BalanceEntry[] {
    const payments = storage.list('payments').filter((entry) => entry.account === account);
    return payments.flatMap((entry) => balanceOf(entry, fees)).sort(byTime);
  }

  function payoutsIn(account: string): readonly FakePayout[] {
    const byCurrency = Map.groupBy(entriesIn(account), ({ currency }) => currency);
    const failureOf = (payout: string) => storage.get('payouts', payout);
    return [...byCurrency]
      .flatMap(([currency, entries]) =>
        payoutsOf(account, currency, entries, failureOf, clock.now()),
      )
      .sort(byTime);
  }

  function returnedIn({ books: account, openedFrom, openedBefore }: ListRequest) {
    return payoutsIn(account).flatMap(({ reference, state, failedAt }): ReturnedPayout[] => {
      const isIn = failedAt !== undefined && failedAt >= openedFrom && failedAt < openedBefore;
      return isIn && (state === 'failed' || state === 'reversed') ? [{ reference, state }] : [];
    });
  }

  return {
    entriesIn,
    payoutsIn,

    listEntries(request: ListRequest & { readonly payout?: string }): Listed<EntriesPage> {
      if (request.payout !== undefined) return entriesOfPayout(request, payoutsIn(request.books));
      const mine = entriesIn(request.books).filter(isOf(request));
      return pageOf(mine, request).map((page) => ({
        ...page,
        items: page.items.map(shown),
        // Payouts are on no page, so the last one names all that came back.
        ...(page.cursor === undefined && { returned: returnedIn(request) }),
      }));
    },

    listPayouts(request: ListRequest): Listed<ListedPage<ListedPayout>> {
      return pageOf(payoutsIn(request.books), request).map((page) => ({
        ...page,
        items: page.items.map(
          ({
            account: _account,
            entries: _entries,
            repaid: _repaid,
            repaidMinor: _sum,
            failedAt: _failedAt,
            ...rest
          }) => rest,
        ),
      }));
    },

    /** From now on it has failed. Its money is in the next payout. */
    fail(
      account: string,
      reference: string,
      state: 'failed' | 'reversed',
    ): Result<void, 'unknownPayout'> {
      const payout = payoutsIn(account).find((one) => one.reference === reference);
      if (payout === undefined || payout.failedAt !== undefined) return err('unknownPayout');
      const record = { failedAt: clock.now(), state };
      storage.write([{ collection: 'payouts', id: reference, record }]);
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
    const again = payouts.filter(({ reference }) => isFirst && payout.repaid.includes(reference));
    const repaidMinor = isFirst ? payout.repaidMinor : 0n;
    return {
      ...page,
      items: ours.map(shown),
      othersMinor: others.reduce((sum, entry) => sum + netOf(entry), repaidMinor),
      others: [
        ...others.map((entry) => ({
          reference: entry.reference,
          kind: entry.kind,
          amountMinor: netOf(entry),
          at: entry.openedAt,
        })),
        ...again.map(({ reference, amountMinor, failedAt, openedAt }) => ({
          reference: `${reference}_back`,
          kind: 'payout_failure',
          description: reference,
          amountMinor,
          at: failedAt ?? openedAt,
        })),
      ],
      repaid: again.map(({ reference }) => reference),
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
