import type {
  Change,
  Movement,
  Payment,
  Payout,
  SettlementEntry,
  Span,
} from '@chairside/core/ports';
import { describe, expect, it } from 'vitest';
import { aMovement, aPayment, aPayout, aSettlement, someTime } from '../../builders.ts';
import { answerOf, idOf, type StoreSuite } from './suite.ts';
import { write } from './write.ts';

const insertMovement = (over: Partial<Movement>): Change => write.movement(over);
const putSettlement = (over: Partial<SettlementEntry>): Change => write.settlement(over);
const putPayout = (over: Partial<Payout>): Change => write.payout(over);

const span = (from: number, until: number): Span => ({
  from: someTime + from,
  until: someTime + until,
});

/** Two businesses' records at these minutes. Neither their ids nor the order of writing follow the time: `a8` is the first. */
const minutes = [3, 1, 4, 2] as const;
const owned = ['a', 'b'].flatMap((owner) =>
  minutes.map((minute) => ({ owner, id: `${owner}${9 - minute}`, at: someTime + minute })),
);

/** The records that a statement is computed from (D50). */
export function statementsContract(suite: StoreSuite): void {
  const { store, given, insert, refuses } = suite;

  describe('lists by owner and time, each moment in one span', () => {
    it.each([
      {
        what: 'captured payments',
        write: () =>
          insert(
            ...owned.map(({ owner, id, at }) =>
              aPayment({ id, businessId: owner, state: 'captured', capturedAt: at }),
            ),
            aPayment({ id: 'open', businessId: 'a' }),
          ),
        list: (of: Span, limit: number) => store().payments.listCaptured('a', of, limit),
      },
      {
        what: 'tenders',
        write: () =>
          given(
            ...owned.map(
              ({ owner, id, at }): Change => write.tender({ id, businessId: owner, at }),
            ),
          ),
        list: (of: Span, limit: number) => store().tenders.list('a', of, limit),
      },
      {
        what: 'shares',
        write: () =>
          given(
            ...owned.map(({ owner, id, at }): Change => write.share({ id, businessId: owner, at })),
          ),
        list: (of: Span, limit: number) => store().shares.list('a', of, limit),
      },
      {
        what: 'movements',
        write: () =>
          given(...owned.map(({ owner, id, at }) => insertMovement({ id, businessId: owner, at }))),
        list: (of: Span, limit: number) => store().movements.list('a', of, limit),
      },
      {
        what: 'entries',
        write: () =>
          given(...owned.map(({ owner, id, at }) => putSettlement({ id, businessId: owner, at }))),
        list: (of: Span, limit: number) => store().settlements.list('a', of, limit),
      },
      {
        what: 'entries without a business',
        write: () =>
          given(
            putSettlement({ id: 'known', account: 'a', at: someTime + 2 }),
            ...owned.map(({ owner: account, id, at }) => {
              const { businessId: _none, ...settlement } = aSettlement({ id, account, at });
              return { kind: 'putSettlement', settlement } as const;
            }),
          ),
        list: (of: Span, limit: number) => store().settlements.listUnknown('a', of, limit),
      },
      {
        what: 'payouts',
        write: () =>
          given(
            ...owned.map(({ owner, id, at }) => putPayout({ id, account: owner, arrivesAt: at })),
          ),
        list: (of: Span, limit: number) => store().payouts.list('a', of, limit),
      },
    ])('$what', async ({ write, list }) => {
      await write();
      const listed = async (of: Span, limit = 9) =>
        answerOf<readonly { readonly id: string }[], unknown>(await list(of, limit)).map(idOf);
      expect(await listed(span(0, 9))).toStrictEqual(['a8', 'a7', 'a6', 'a5']);
      expect(await listed(span(0, 3))).toStrictEqual(['a8', 'a7']);
      expect(await listed(span(3, 9))).toStrictEqual(['a6', 'a5']);
      expect(await listed(span(2, 2))).toStrictEqual([]);
      expect(await listed(span(0, 9), 3)).toStrictEqual(['a8', 'a7', 'a6']);
      expect(await listed(span(0, 9), 0)).toStrictEqual([]);
    });
  });

  it('lists a payment once it is captured', async () => {
    await insert(aPayment({ state: 'authorized' }));
    const captured: Payment = aPayment({ state: 'captured', version: 2, capturedAt: someTime });
    await given({ kind: 'updatePayment', payment: captured, expectedVersion: 1 });
    const listed = await store().payments.listCaptured('business-1', span(0, 1), 9);
    expect(answerOf(listed)).toStrictEqual([captured]);
  });

  it('inserts a movement once', async () => {
    await given(insertMovement({}));
    await refuses('insertMovement', insertMovement({ amountMinor: 1n }));
    const kept = await store().movements.listByPayment('cpm_1', 9);
    expect(answerOf(kept)).toStrictEqual([aMovement()]);
  });

  it('adds a payout and a business to an entry, and keeps both when it is listed again', async () => {
    const { businessId: _none, ...unknown } = aSettlement();
    const kept = async () =>
      answerOf(await store().settlements.listByPayment('cpm_1', 9)).map((entry) => [
        entry.businessId,
        entry.payoutId,
      ]);
    await given({ kind: 'putSettlement', settlement: unknown });
    expect(await kept()).toStrictEqual([[undefined, undefined]]);
    await given({ kind: 'putSettlement', settlement: { ...unknown, payoutId: 'po_1' } });
    await given(putSettlement({}));
    await given({ kind: 'putSettlement', settlement: unknown });
    expect(await kept()).toStrictEqual([['business-1', 'po_1']]);
    const unowned = await store().settlements.listUnknown('acct_1', span(0, 9), 9);
    expect(answerOf(unowned)).toStrictEqual([]);
    await given(putSettlement({ payoutId: 'po_2' }));
    expect(await kept()).toStrictEqual([['business-1', 'po_2']]);
  });

  it('adds up the entries of a payout for one business, by kind', async () => {
    const { businessId: _none, ...unowned } = aSettlement();
    // Ten of the largest amounts: their sum is beyond 2^53.
    const large = 999_999_999_999_999n;
    const entries: readonly Partial<SettlementEntry>[] = [
      { amountMinor: 4500n, processorFeeMinor: 93n, applicationFeeMinor: 10n },
      ...Array.from({ length: 10 }, () => ({ amountMinor: large })),
      { kind: 'refund', amountMinor: -1000n, applicationFeeMinor: -3n },
      { kind: 'dispute', amountMinor: -4500n, businessId: 'business-2' },
      { amountMinor: 7n, payoutId: 'po_2' },
    ];
    const known = entries.map((over, index) =>
      putSettlement({ id: `e${index}`, payoutId: 'po_1', processorFeeMinor: 0n, ...over }),
    );
    const free = { ...unowned, payoutId: 'po_1', processorFeeMinor: 0n };
    await insert(aPayment({ id: 'cpm_2', businessId: 'business-2' }));
    await given(
      ...known,
      // Without a record it counts for each business, and with one for the payment's.
      {
        kind: 'putSettlement',
        settlement: { ...free, id: 'f1', paymentId: 'lost', amountMinor: 5n },
      },
      {
        kind: 'putSettlement',
        settlement: { ...free, id: 'f2', paymentId: 'cpm_2', amountMinor: 6n },
      },
    );
    const sums = async (payout: string, business: string) =>
      answerOf(await store().settlements.sumOfPayout(payout, business)).toSorted((a, b) =>
        a.kind < b.kind ? -1 : 1,
      );
    expect(await sums('po_1', 'business-1')).toStrictEqual([
      {
        kind: 'payment',
        amountMinor: 4505n + 10n * large,
        processorFeeMinor: 93n,
        applicationFeeMinor: 10n,
      },
      { kind: 'refund', amountMinor: -1000n, processorFeeMinor: 0n, applicationFeeMinor: -3n },
    ]);
    expect(await sums('po_1', 'business-2')).toMatchObject([
      { kind: 'dispute', amountMinor: -4500n },
      { kind: 'payment', amountMinor: 11n },
    ]);
    expect(await sums('po_3', 'business-1')).toStrictEqual([]);
  });

  it('keeps the payout that pays a failed one again, and replaces all else', async () => {
    const failed = aPayout({ state: 'failed', replacedBy: 'po_2' });
    const kept = async () => answerOf(await store().payouts.get(failed.id));
    await given({ kind: 'putPayout', payout: failed });
    const read = aPayout({ state: 'failed', isRead: true });
    await given({ kind: 'putPayout', payout: read });
    expect(await kept()).toStrictEqual({ ...read, replacedBy: 'po_2' });
    await given({ kind: 'putPayout', payout: { ...read, replacedBy: 'po_3' } });
    expect(await kept()).toStrictEqual({ ...read, replacedBy: 'po_3' });
  });

  it('reads the sweep of one ledger', async () => {
    const swept = { books: 'acct_1', sweptBefore: someTime, triedAt: someTime };
    await given({ kind: 'putSweep', swept });
    await given({ kind: 'putSweep', swept: { ...swept, books: 'acct_2' } });
    expect(answerOf(await store().sweeps.get('acct_1'))).toStrictEqual(swept);
  });
}
