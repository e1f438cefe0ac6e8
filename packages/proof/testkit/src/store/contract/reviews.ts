import type { Returned, Review } from '@chairside/core/ports';
import { expect, it } from 'vitest';
import { someTime } from '../../builders.ts';
import { answerOf, aReturned, aReview, forget, idOf, type StoreSuite } from './suite.ts';
import { write } from './write.ts';

/** The list of payments that need a person, and the reported refunds and disputes (D43, D25). */
export function reviewsContract(suite: StoreSuite): void {
  const { store, given } = suite;

  const open = (...reviews: Review[]) => given(...reviews.map(write.review));
  const resolution = { resolvedAt: someTime + 5, note: 'was paid back' };
  const resolve = (id: string) => ({ kind: 'resolveReview' as const, id, ...resolution });

  it('resolves an open review, and no other', async () => {
    await open(aReview(), aReview({ id: 'rev_2' }));
    await given(resolve('rev_1'));
    expect(answerOf(await store().reviews.get('rev_1'))).toStrictEqual(aReview(resolution));
    expect(answerOf(await store().reviews.get('rev_2'))).toStrictEqual(aReview({ id: 'rev_2' }));
  });

  it("resolves a payment's open reviews of one reason", async () => {
    const about = { paymentId: 'cpm_1', reason: 'orphanCaptured' } as const;
    await open(
      aReview({ ...about, id: '1' }),
      aReview({ ...about, id: '2', resolvedAt: someTime, note: 'before' }),
      aReview({ ...about, id: '3', reason: 'capturedAnotherAmount' }),
      aReview({ ...about, id: '4', reason: 'unsettled' }),
      aReview({ ...about, id: '5', paymentId: 'cpm_0' }),
      aReview({ ...about, id: '6', paymentId: 'cpm_2' }),
    );
    const change = { kind: 'resolvePaymentReviews', ...about, ...resolution } as const;
    await given(change);
    const left = answerOf(await store().reviews.list('open', 9)).map(idOf);
    expect(left).toStrictEqual(['3', '4', '5', '6']);
    expect(answerOf(await store().reviews.get('1'))).toMatchObject(resolution);
    expect(answerOf(await store().reviews.get('2'))?.note).toBe('before');
    // Without open reviews it has no effect and succeeds.
    await given({ ...change, paymentId: 'cpm_3' });
  });

  it('remembers a refund or dispute of an account for ever, once', async () => {
    const refund = aReturned({ amountMinor: 999_999_999_999_999n });
    const has = async ({ account, kind, id }: Returned) =>
      answerOf(await store().returned.has(account, kind, id));
    expect(await has(refund)).toBe(false);
    await given(write.returned(refund));
    expect(await has(refund)).toBe(true);
    for (const other of [
      { kind: 'dispute' },
      ...[{ account: 'acct_0' }, { account: 'acct_2' }, { id: 're_0' }, { id: 're_2' }],
    ] as const) {
      expect(await has({ ...refund, ...other })).toBe(false);
      await given(write.returned({ ...refund, ...other }));
    }
    const at = someTime + 1e12;
    await given(forget({ now: at, processorEventsBefore: at, eventsBefore: at }));
    expect(await has(refund)).toBe(true);
  });

  it('raises the count of an open review', async () => {
    await open(aReview({ count: 3 }));
    const raised = { count: 5, openedAt: someTime + 7 };
    await given({ kind: 'countReview', id: 'rev_1', expectedCount: 3, ...raised });
    expect(answerOf(await store().reviews.get('rev_1'))).toStrictEqual(aReview(raised));
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
