import type { Change, Dispute, Refund } from '@chairside/core/ports';
import { expect, it } from 'vitest';
import { aDispute, aPayment, aRefund, someTime } from '../../builders.ts';
import { answerOf, idOf, type StoreSuite } from './suite.ts';
import { write } from './write.ts';

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
