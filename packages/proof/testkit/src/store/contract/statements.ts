import type { SettlementEntry, SweptBooks } from '@chairside/core/ports';
import { expect, it } from 'vitest';
import { aPayment, aPayout, someTime } from '../../builders.ts';
import { unownedSettlement } from './lists.ts';
import { aFact, answerOf, type StoreSuite } from './suite.ts';
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

/** How far each of the processor's books was swept (D27). */
export function sweepsContract(suite: StoreSuite): void {
  const { store, given, insert } = suite;

  const put = (books: string, sweptBefore: number, triedAt: number) =>
    given({
      kind: 'putSweep',
      swept: { books, sweptBefore: someTime + sweptBefore, triedAt: someTime + triedAt },
    });

  it('lists the accounts of payments, the one tried longest ago first', async () => {
    const stale = async (limit: number, before = someTime + 99) =>
      answerOf(await store().sweeps.listStale(before, limit)).map(
        ({ books, sweptBefore }) => `${books} ${sweptBefore - someTime}`,
      );
    await insert(
      aPayment({ id: '1', account: 'b', createdAt: someTime + 5 }),
      aPayment({ id: '2', account: 'a', createdAt: someTime + 6 }),
      aPayment({ id: '3', account: 'b', createdAt: someTime + 7 }),
    );
    await given({ kind: 'deletePayment', id: '2', expectedVersion: 1 });
    expect(await stale(9)).toStrictEqual(['b 5', 'a 6']);
    // "No further than this" includes an account that was swept exactly this far.
    expect(await stale(9, someTime + 6)).toStrictEqual(['b 5', 'a 6']);
    expect(await stale(9, someTime + 5)).toStrictEqual(['b 5']);
    expect(await stale(9, someTime + 4)).toStrictEqual([]);
    await put('b', 8, 9);
    expect(await stale(9)).toStrictEqual(['a 6', 'b 8']);
    expect(await stale(1)).toStrictEqual(['a 6']);
    await put('a', 6, 10);
    expect(await stale(9)).toStrictEqual(['b 8', 'a 6']);
    expect(await stale(9, someTime + 7)).toStrictEqual(['a 6']);
    expect(answerOf(await store().sweeps.listStale(someTime + 99, 1))).toStrictEqual([
      { books: 'b', sweptBefore: someTime + 8, triedAt: someTime + 9 },
    ]);
  });

  it('begins one sweep for the accounts that share books', async () => {
    const begin = (id: string, createdAt: number, books?: string) =>
      given({ kind: 'insertPayment', payment: aPayment({ id, account: id, createdAt }), books });
    await begin('1', someTime + 5, 'platform');
    await begin('2', someTime + 4, 'platform');
    await begin('3', someTime + 6);
    expect(answerOf(await store().sweeps.listStale(someTime + 99, 9))).toStrictEqual([
      { books: 'platform', sweptBefore: someTime + 5, triedAt: someTime + 5 },
      { books: '3', sweptBefore: someTime + 6, triedAt: someTime + 6 },
    ]);
  });

  it('begins a sweep at the time that comes with the payment', async () => {
    const payment = aPayment({ createdAt: someTime + 5 });
    await given({ kind: 'insertPayment', payment, sweepFrom: someTime - 9 });
    expect(answerOf(await store().sweeps.listStale(someTime, 9))).toStrictEqual([
      { books: payment.account, sweptBefore: someTime - 9, triedAt: someTime - 9 },
    ]);
  });

  it('keeps how far each list was read, until another state replaces it', async () => {
    await insert(aPayment({ account: 'acct_1', createdAt: someTime }));
    const swept: SweptBooks = {
      books: 'acct_1',
      sweptBefore: someTime + 1,
      triedAt: someTime + 2,
      lists: {
        payments: { sweptBefore: someTime + 1, reportedBefore: someTime + 2 },
        refunds: {
          sweptBefore: someTime + 3,
          pass: { before: someTime + 4, cursor: "1:'n:2\u00e9", restartAt: someTime + 3 },
        },
        disputes: { sweptBefore: someTime + 5, pass: { before: someTime + 6 } },
        restored: { sweptBefore: someTime + 7, restoration: someTime, end: 'read' },
      },
    };
    const stored = async () => answerOf(await store().sweeps.listStale(someTime + 99, 9));
    await given({ kind: 'putSweep', swept });
    expect(await stored()).toStrictEqual([swept]);
    const { lists: _lists, ...none } = swept;
    await given({ kind: 'putSweep', swept: none });
    expect(await stored()).toStrictEqual([none]);
  });

  it('are begun by the first payment of an account, and moved back by none', async () => {
    const swept = async () =>
      answerOf(await store().sweeps.listStale(someTime + 99, 9)).map(({ sweptBefore, triedAt }) => [
        sweptBefore - someTime,
        triedAt - someTime,
      ]);
    await insert(aPayment({ id: '1', account: 'acct_1', createdAt: someTime + 5 }));
    await insert(aPayment({ id: '2', account: 'acct_1', createdAt: someTime + 3 }));
    expect(await swept()).toStrictEqual([[5, 5]]);
    await put('acct_1', 8, 9);
    await insert(aPayment({ id: '3', account: 'acct_1', createdAt: someTime + 6 }));
    await insert(aPayment({ id: '4', account: 'acct_1', createdAt: someTime + 12 }));
    expect(await swept()).toStrictEqual([[8, 9]]);
    // A sweep itself may be put back, to look at a span again.
    await put('acct_1', 2, 10);
    expect(await swept()).toStrictEqual([[2, 10]]);
  });

  it('keeps a fact under its name', async () => {
    const read = async (name: string) => answerOf(await store().facts.get(name));
    expect(await read('world')).toBeUndefined();
    await given(write.fact(), write.fact({ name: 'other' }));
    expect(await read('world')).toStrictEqual(aFact());
    const next = { version: 2, text: '{"b":1}' };
    await given(write.fact(next));
    expect(await read('world')).toStrictEqual(aFact(next));
    expect(await read('other')).toStrictEqual(aFact({ name: 'other' }));
  });

  it('returns the time of a clock that all nodes share, if it has one', async (test) => {
    const now = store().now;
    if (now === undefined) return test.skip('it has no other clock than the node');
    const first = answerOf(await now());
    const second = answerOf(await now());
    expect(Number.isSafeInteger(first)).toBe(true);
    expect(second).toBeGreaterThanOrEqual(first);
    expect(second - first).toBeLessThan(60_000);
  });
}
