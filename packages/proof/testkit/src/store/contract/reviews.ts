import type { Change, Dispute, Refund, Returned, Review } from '@chairside/core/ports';
import { expect, it } from 'vitest';
import { aDispute, aPayment, aRefund, someTime } from '../../builders.ts';
import { answerOf, aReview, forget, idOf, type StoreSuite } from './suite.ts';
import { write } from './write.ts';

/** The list of payments that need a person, and the reported refunds and disputes (D43, D25). */
export function reviewsContract(suite: StoreSuite): void {
  const { store, given, refuses } = suite;

  const open = (...reviews: Review[]) =>
    given(...reviews.map((review) => ({ kind: 'insertReview' as const, review })));
  const resolution = { resolvedAt: someTime + 5, note: 'was paid back' };
  const resolve = (id: string) => ({ kind: 'resolveReview' as const, id, ...resolution });
  const listed = async (state: 'open' | 'resolved', limit = 9, after?: string) =>
    answerOf(await store().reviews.list(state, limit, after)).map(idOf);

  it('opens a review once', async () => {
    await open(aReview());
    const again = aReview({ reason: 'orphanCaptured' });
    await refuses('insertReview', { kind: 'insertReview', review: again });
    expect(answerOf(await store().reviews.get('rev_1'))).toStrictEqual(aReview());
  });

  it('resolves an open review, and no other', async () => {
    await open(aReview(), aReview({ id: 'rev_2' }));
    await given(resolve('rev_1'));
    expect(answerOf(await store().reviews.get('rev_1'))).toStrictEqual(aReview(resolution));
    await refuses('resolveReview', { ...resolve('rev_1'), note: 'another' });
    await refuses('resolveReview', resolve('rev_3'));
    expect(answerOf(await store().reviews.get('rev_1'))?.note).toBe('was paid back');
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
    expect(await listed('open')).toStrictEqual(['3', '4', '5', '6']);
    expect(answerOf(await store().reviews.get('1'))).toMatchObject(resolution);
    expect(answerOf(await store().reviews.get('2'))?.note).toBe('before');
    // Without open reviews it has no effect and succeeds.
    await given({ ...change, paymentId: 'cpm_3' });
  });

  it('lists open and resolved reviews by id, page by page', async () => {
    await open(...['b', 'e', 'a', 'd', 'c'].map((id) => aReview({ id })));
    expect(await listed('open')).toStrictEqual(['a', 'b', 'c', 'd', 'e']);
    await given(resolve('d'), resolve('b'));
    expect(await listed('open')).toStrictEqual(['a', 'c', 'e']);
    expect(await listed('resolved')).toStrictEqual(['b', 'd']);
    expect(await listed('open', 2)).toStrictEqual(['a', 'c']);
    expect(await listed('open', 2, 'c')).toStrictEqual(['e']);
    expect(await listed('resolved', 9, 'b')).toStrictEqual(['d']);
    expect(await listed('open', 0)).toStrictEqual([]);
    expect(await listed('open', -1)).toStrictEqual([]);
  });

  it('lists the open reviews of an account with one reason, by id', async () => {
    const about = { account: 'acct_1', reason: 'orphanCaptured' } as const;
    await open(
      ...['c', 'a', 'b', 'd'].map((id) => aReview({ id, ...about })),
      aReview({ id: '1', account: 'acct_2', reason: 'orphanCaptured' }),
      aReview({ id: '2', account: 'acct_1', reason: 'unsettled' }),
    );
    await given(resolve('b'));
    const of = async (limit: number) =>
      answerOf(await store().reviews.listOpenOf('acct_1', 'orphanCaptured', limit)).map(idOf);
    expect(await of(9)).toStrictEqual(['a', 'c', 'd']);
    expect(await of(2)).toStrictEqual(['a', 'c']);
    expect(await of(-1)).toStrictEqual([]);
  });

  it('raises the count of an open review, if it is the count that was read', async () => {
    await open(aReview({ count: 3 }), aReview({ id: 'rev_2' }));
    const raised = { count: 5, openedAt: someTime + 7 };
    const raise = (id: string, expectedCount: number) =>
      ({ kind: 'countReview', id, expectedCount, ...raised }) as const;
    await refuses('countReview', raise('rev_1', 2));
    await refuses('countReview', raise('rev_2', 0));
    await refuses('countReview', raise('rev_3', 3));
    await given(raise('rev_1', 3));
    expect(answerOf(await store().reviews.get('rev_1'))).toStrictEqual(aReview(raised));
    await given(resolve('rev_1'));
    await refuses('countReview', raise('rev_1', 5));
  });

  it('keeps no review of a refused commit', async () => {
    const review = write.review();
    await refuses('deleteTerminal', review, { kind: 'deleteTerminal', id: 'no' });
    expect(await listed('open')).toStrictEqual([]);
  });

  it('remembers a refund or dispute of an account for ever, once', async () => {
    const refund: Returned = {
      kind: 'refund',
      id: 're_1',
      account: 'acct_1',
      paymentId: 'cpm_1',
      amountMinor: 999_999_999_999_999n,
      at: someTime,
    };
    const remember = (over: Partial<Returned> = {}) =>
      ({ kind: 'insertReturned', returned: { ...refund, ...over } }) as const;
    const has = async ({ account, kind, id }: Returned) =>
      answerOf(await store().returned.has(account, kind, id));
    expect(await has(refund)).toBe(false);
    await given(remember());
    expect(await has(refund)).toBe(true);
    for (const other of [
      { kind: 'dispute' },
      ...[{ account: 'acct_0' }, { account: 'acct_2' }, { id: 're_0' }, { id: 're_2' }],
    ] as const) {
      expect(await has({ ...refund, ...other })).toBe(false);
      await given(remember(other));
    }
    await refuses('insertReturned', remember({ amountMinor: 1n, paymentId: 'cpm_2' }));
    const at = someTime + 1e12;
    await given(forget({ now: at, processorEventsBefore: at, eventsBefore: at }));
    expect(await has(refund)).toBe(true);
  });

  it("lists a customer's newest setups, oldest first", async () => {
    const setup = (id: string, customerId: string, createdAt: number) =>
      ({
        kind: 'insertSetup',
        setup: {
          id,
          customerId,
          savePaymentMethod: true,
          version: 1,
          createdAt: someTime + createdAt,
          expiresAt: someTime,
          nextCheckAt: someTime,
        },
      }) as const;
    await given(setup('1', 'a', 3), setup('2', 'a', 1), setup('3', 'b', 2), setup('4', 'a', 2));
    const of = async (customerId: string, limit: number) =>
      answerOf(await store().setups.listByCustomer(customerId, limit)).map(idOf);
    expect(await of('a', 9)).toStrictEqual(['2', '4', '1']);
    expect(await of('a', 2)).toStrictEqual(['4', '1']);
    expect(await of('c', 2)).toStrictEqual([]);
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

const insertRefund = (over: Partial<Refund> = {}): Change => write.refund(over);
const insertDispute = (over: Partial<Dispute> = {}): Change => write.dispute(over);

/** Refunds and disputes of payments (D44, D45). */
export function returnedContract(suite: StoreSuite): void {
  const { store, given, refuses } = suite;

  it('inserts a refund or dispute once', async () => {
    await given(insertRefund(), insertDispute());
    await refuses('insertRefund', insertRefund({ amountMinor: 1n, paymentId: 'cpm_2' }));
    await refuses('insertDispute', insertDispute({ amountMinor: 1n, paymentId: 'cpm_2' }));
    expect(answerOf(await store().refunds.get('rfd_1'))).toStrictEqual(aRefund());
    expect(answerOf(await store().disputes.get('dsp_1'))).toStrictEqual(aDispute());
  });

  it('changes a refund or dispute only from the version that is named', async () => {
    await given(insertRefund(), insertDispute());
    const refund = aRefund({ version: 2, state: 'succeeded', reference: 're_1' });
    const dispute = aDispute({ version: 2, state: 'won' });
    await refuses('updateRefund', { kind: 'updateRefund', refund, expectedVersion: 2 });
    await refuses('deleteRefund', { kind: 'deleteRefund', id: 'rfd_1', expectedVersion: 2 });
    await refuses('updateDispute', { kind: 'updateDispute', dispute, expectedVersion: 2 });
    await given(
      { kind: 'updateRefund', refund, expectedVersion: 1 },
      { kind: 'updateDispute', dispute, expectedVersion: 1 },
    );
    expect(answerOf(await store().refunds.get('rfd_1'))).toStrictEqual(refund);
    expect(answerOf(await store().disputes.get('dsp_1'))).toStrictEqual(dispute);
    await given({ kind: 'deleteRefund', id: 'rfd_1', expectedVersion: 2 });
    expect(answerOf(await store().refunds.get('rfd_1'))).toBeUndefined();
  });

  it('keeps no reservation that was decided by another version of its payment', async () => {
    const payment = aPayment({ state: 'captured', version: 5 });
    await given({ kind: 'insertPayment', payment });
    const touched = { ...payment, version: 6 };
    const update: Change = { kind: 'updatePayment', payment: touched, expectedVersion: 5 };
    await given(insertRefund({ id: 'first' }), update);
    await refuses('updatePayment', insertRefund({ id: 'second' }), update);
    expect(answerOf(await store().refunds.listByPayment('cpm_1', 9)).map(idOf)).toEqual(['first']);
  });

  it("lists a payment's refunds and disputes in order of their ids", async () => {
    for (const id of ['b', 'a', 'c']) await given(insertRefund({ id }), insertDispute({ id }));
    await given(
      insertRefund({ id: 'd', paymentId: 'cpm_2' }),
      insertDispute({ id: 'd', paymentId: 'cpm_2' }),
    );
    const { refunds, disputes } = store();
    for (const [limit, ids] of [
      [9, ['a', 'b', 'c']],
      [2, ['a', 'b']],
      [-1, []],
    ] as const) {
      expect(answerOf(await refunds.listByPayment('cpm_1', limit)).map(idOf)).toEqual(ids);
      expect(answerOf(await disputes.listByPayment('cpm_1', limit)).map(idOf)).toEqual(ids);
    }
  });

  it('lists refunds that are due, the longest overdue first', async () => {
    const at = (minutes: number) => ({ nextCheckAt: someTime + minutes });
    await given(
      insertRefund({ id: 'a', ...at(2) }),
      insertRefund({ id: 'b', ...at(1) }),
      insertRefund({ id: 'c', ...at(3) }),
      insertRefund({ id: 'd' }),
    );
    const due = async (now: number, limit: number) =>
      answerOf(await store().refunds.listDue(now, limit)).map(idOf);
    expect(await due(someTime + 2, 9)).toEqual(['b', 'a']);
    expect(await due(someTime + 3, 1)).toEqual(['b']);
    expect(await due(someTime + 3, 0)).toEqual([]);
  });

  it('lists disputes by their state, page by page', async () => {
    for (const id of ['c', 'a', 'b']) await given(insertDispute({ id }));
    await given(insertDispute({ id: 'd', state: 'lost' }));
    const listed = async (state: Dispute['state'], limit: number, after?: string) =>
      answerOf(await store().disputes.list(state, limit, after)).map(idOf);
    expect(await listed('open', 9)).toEqual(['a', 'b', 'c']);
    expect(await listed('open', 1, 'a')).toEqual(['b']);
    expect(await listed('lost', 9)).toEqual(['d']);
    expect(await listed('won', 9)).toEqual([]);
  });
}
