import { hourMs } from '@chairside/core';
import type { Change, Payment } from '@chairside/core/ports';
import { longestWaitMs } from '@chairside/core/storage';
import { describe, expect, it } from 'vitest';
import { aPayment, someTime } from '../../builders.ts';
import { lists } from './every-list.ts';
import { answerOf, idOf, type StoreSuite } from './suite.ts';
import { write } from './write.ts';

/** More than the page of a driver or a careful limit. */
const many = 130;

/** Lists, in their order and up to their limit. */
export function listsContract(suite: StoreSuite): void {
  const { store, given, insert } = suite;

  describe(`lists ${many} records, in order:`, () => {
    it.each(lists.map((list) => [list.of, list] as const))('%s', async (_of, list) => {
      const { order, keeps, bound, hasPages } = list;
      // Neither the ids nor the order of writing follow the time.
      const records = Array.from({ length: many }, (_, index) => ({
        owner: 'mine',
        id: `${1000 + ((index * 7) % many)}`,
        at: someTime + index,
      }));
      const changes = records.map(list.write);
      await given(...(list.others ?? []), ...changes.filter((_, index) => index % 2 === 1).flat());
      await given(
        ...changes
          .filter((_, index) => index % 2 === 0)
          .toReversed()
          .flat(),
      );
      const read = async ({ limit = 200, from = 0, until = hourMs, after = '' } = {}) => {
        const span = { from: someTime + from, until: someTime + until };
        const asked = { limit, span, after: after === '' ? undefined : after };
        const listed = answerOf(await list.read(store(), 'mine', asked));
        return order === 'any' ? listed.toSorted() : listed;
      };
      const inOrder = order === 'time' ? records.map(idOf) : records.map(idOf).sort();
      expect(await read()).toStrictEqual(inOrder);
      expect(await read({ limit: many })).toStrictEqual(inOrder);
      for (const limit of [0, -1]) expect(await read({ limit })).toStrictEqual([]);
      for (const limit of [3, many - 1]) {
        const listed = await read({ limit });
        expect(listed).toHaveLength(limit);
        if (keeps === 'first') expect(listed).toStrictEqual(inOrder.slice(0, limit));
        if (keeps === 'newest') expect(listed).toStrictEqual(inOrder.slice(-limit));
      }
      if (bound === 'due') {
        expect(await read({ until: 4 })).toStrictEqual(inOrder.slice(0, 5));
        expect(await read({ until: -1 })).toStrictEqual([]);
      }
      if (bound === 'span') {
        expect(await read({ from: 2, until: 5 })).toStrictEqual(inOrder.slice(2, 5));
        expect(await read({ from: 2, until: 2 })).toStrictEqual([]);
      }
      if (hasPages) {
        const page = inOrder.slice(51, 53);
        expect(await read({ limit: 2, after: inOrder[50] ?? '' })).toStrictEqual(page);
        expect(await read({ after: inOrder.at(-1) ?? '' })).toStrictEqual([]);
      }
    });
  });

  it("lists a payment as due by its last change's time", async () => {
    const later = someTime + 1000;
    await insert(aPayment({ nextCheckAt: someTime }));
    const update = (expectedVersion: number, over: Partial<Payment>): Change => {
      const payment = aPayment({ version: expectedVersion + 1, ...over });
      return { kind: 'updatePayment', expectedVersion, payment };
    };
    await given(update(1, { nextCheckAt: later }));
    expect(answerOf(await store().payments.listDue(someTime, 9))).toStrictEqual([]);
    expect(answerOf(await store().payments.listDue(later, 9))).toHaveLength(1);
    await given(update(2, {}));
    expect(answerOf(await store().payments.listDue(later, 9))).toStrictEqual([]);
  });

  it('lists a payment as captured once it is', async () => {
    await insert(aPayment({ state: 'authorized' }));
    const captured = aPayment({ state: 'captured', version: 2, capturedAt: someTime });
    await given({ kind: 'updatePayment', payment: captured, expectedVersion: 1 });
    const span = { from: someTime, until: someTime + 1 };
    const listed = await store().payments.listCaptured('business-1', span, 9);
    expect(answerOf(listed)).toStrictEqual([captured]);
  });

  it('lists what is due, and then what a wrong clock has written', async () => {
    const times = [
      someTime + longestWaitMs + 2,
      someTime,
      someTime + longestWaitMs + 1,
      someTime + 1,
    ];
    for (const [index, nextCheckAt] of times.entries()) {
      const over = { id: `${index}`, nextCheckAt };
      await given(write.payment(over), write.refund(over), write.setup(over));
    }
    const { payments, refunds, setups } = store();
    for (const [now, limit, ids] of [
      [someTime, 9, ['1', '2', '0']],
      [someTime, 2, ['1', '2']],
      [someTime, 1, ['1']],
      [someTime, 0, []],
      [someTime + 1, 9, ['1', '3', '0']],
      [someTime + 2, 9, ['1', '3']],
    ] as const) {
      expect(answerOf(await payments.listDue(now, limit)).map(idOf)).toStrictEqual(ids);
      expect(answerOf(await refunds.listDue(now, limit)).map(idOf)).toStrictEqual(ids);
      expect(answerOf(await setups.listDue(now, limit)).map(idOf)).toStrictEqual(ids);
    }
  });

  it('lists due setups until they are removed', async () => {
    await given(write.setup({ nextCheckAt: someTime }));
    await given({ kind: 'deleteSetup', id: 'pms_1', expectedVersion: 1 });
    expect(answerOf(await store().setups.listDue(someTime, 9))).toStrictEqual([]);
    expect(answerOf(await store().setups.get('pms_1'))).toBeUndefined();
  });
}
