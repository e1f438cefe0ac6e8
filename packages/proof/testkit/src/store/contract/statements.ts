import type { SettlementEntry } from '@chairside/core/ports';
import { expect, it } from 'vitest';
import { aPayment, aPayout, someTime } from '../../builders.ts';
import { unownedSettlement } from './every-list.ts';
import { answerOf, type StoreSuite } from './suite.ts';
import { write } from './write.ts';

/** The records that a statement is computed from (D50). */
export function statementsContract(suite: StoreSuite): void {
  const { store, given, insert } = suite;

  it('adds a payout and a business to an entry, and keeps both when it is listed again', async () => {
    const kept = async () =>
      answerOf(await store().settlements.listByPayment('cpm_1', 9)).map((entry) => [
        entry.businessId,
        entry.payoutId,
      ]);
    await given(unownedSettlement({}));
    expect(await kept()).toStrictEqual([[undefined, undefined]]);
    await given(unownedSettlement({ payoutId: 'po_1' }));
    await given(write.settlement({}));
    await given(unownedSettlement({}));
    expect(await kept()).toStrictEqual([['business-1', 'po_1']]);
    const span = { from: someTime, until: someTime + 9 };
    expect(answerOf(await store().settlements.listUnknown('acct_1', span, 9))).toStrictEqual([]);
    await given(write.settlement({ payoutId: 'po_2' }));
    expect(await kept()).toStrictEqual([['business-1', 'po_2']]);
  });

  it('adds up the entries of a payout for one business, by kind', async () => {
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
      write.settlement({ id: `e${index}`, payoutId: 'po_1', processorFeeMinor: 0n, ...over }),
    );
    const free = { payoutId: 'po_1', processorFeeMinor: 0n };
    await insert(aPayment({ id: 'cpm_2', businessId: 'business-2' }));
    await given(
      ...known,
      // Without a record it counts for each business, and with one for the payment's.
      unownedSettlement({ ...free, id: 'f1', paymentId: 'lost', amountMinor: 5n }),
      unownedSettlement({ ...free, id: 'f2', paymentId: 'cpm_2', amountMinor: 6n }),
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
}
