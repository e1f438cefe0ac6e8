import type { Change, Payment } from '@chairside/core';
import { describe, expect, it } from 'vitest';
import { anAppointmentReference, aPayment, aSetup, aTerminal, someTime } from '../../builders.ts';
import { answerOf, idOf, type StoreSuite } from './suite.ts';

/** Lists, in their order and up to their limit. */
export function listsContract(suite: StoreSuite): void {
  const { store, given, insert } = suite;

  describe('lists', () => {
    const minutes = [3, 1, 5, 2, 4];

    it("an appointment's newest payments, oldest first", async () => {
      await insert(
        ...minutes.map((minute) => aPayment({ id: `${minute}`, createdAt: someTime + minute })),
        aPayment({ id: 'other', appointment: anAppointmentReference({ id: 'other' }) }),
      );
      const list = async (limit: number) =>
        answerOf(await store().payments.listByAppointment('appointment-1', limit)).map(idOf);
      expect(await list(3)).toStrictEqual(['3', '4', '5']);
      expect(await list(9)).toStrictEqual(['1', '2', '3', '4', '5']);
      expect(await list(0)).toStrictEqual([]);
    });

    it("an appointment's newest payments at one business, up to the limit", async () => {
      await insert(
        ...minutes.map((minute) =>
          aPayment({
            id: `${minute}`,
            createdAt: someTime + minute,
            businessId: minute % 2 === 0 ? 'business-2' : 'business-1',
          }),
        ),
      );
      const list = async (limit: number, businessId?: string) =>
        answerOf(await store().payments.listByAppointment('appointment-1', limit, businessId)).map(
          idOf,
        );
      expect(await list(2, 'business-1')).toStrictEqual(['3', '5']);
      expect(await list(9, 'business-2')).toStrictEqual(['2', '4']);
      expect(await list(9, 'business-3')).toStrictEqual([]);
      expect(await list(9, undefined)).toStrictEqual(['1', '2', '3', '4', '5']);
    });

    it('due payments, the longest overdue first', async () => {
      await insert(
        ...minutes.map((minute) => aPayment({ id: `${minute}`, nextCheckAt: someTime + minute })),
        aPayment({ id: 'never' }),
      );
      const list = async (at: number, limit: number) =>
        answerOf(await store().payments.listDue(someTime + at, limit)).map(idOf);
      expect(await list(9, 3)).toStrictEqual(['1', '2', '3']);
      expect(await list(9, 9)).toStrictEqual(['1', '2', '3', '4', '5']);
      expect(await list(2, 9)).toStrictEqual(['1', '2']);
      expect(await list(0, 9)).toStrictEqual([]);
      expect(await list(9, 0)).toStrictEqual([]);
    });

    it("a payment as due by its last change's time", async () => {
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

    it("a barber's newest terminals, oldest first", async () => {
      const terminals = minutes.map((minute) => {
        const name = `${minute}`;
        return aTerminal({ id: name, deviceIdentifier: name, createdAt: someTime + minute });
      });
      const other = aTerminal({ id: 'o', deviceIdentifier: 'o', barberId: 'other' });
      await given(
        ...[...terminals, other].map((terminal): Change => ({ kind: 'insertTerminal', terminal })),
      );
      const list = async (limit: number) =>
        answerOf(await store().terminals.listByBarber('barber-1', limit)).map(idOf);
      expect(await list(3)).toStrictEqual(['3', '4', '5']);
      expect(await list(9)).toStrictEqual(['1', '2', '3', '4', '5']);
      expect(await list(0)).toStrictEqual([]);
    });
  });

  it('lists due setups, the longest overdue first, until they are removed', async () => {
    const setups = [3, 1, 2].map((minute) =>
      aSetup({ id: `${minute}`, nextCheckAt: someTime + minute }),
    );
    await given(...setups.map((setup): Change => ({ kind: 'insertSetup', setup })));
    const list = async (at: number, limit: number) =>
      answerOf(await store().setups.listDue(someTime + at, limit)).map(idOf);
    expect(await list(9, 9)).toStrictEqual(['1', '2', '3']);
    expect(await list(9, 2)).toStrictEqual(['1', '2']);
    expect(await list(2, 9)).toStrictEqual(['1', '2']);
    await given({ kind: 'deleteSetup', id: '1', expectedVersion: 1 });
    expect(await list(9, 9)).toStrictEqual(['2', '3']);
    expect(answerOf(await store().setups.get('1'))).toBeUndefined();
  });
}
