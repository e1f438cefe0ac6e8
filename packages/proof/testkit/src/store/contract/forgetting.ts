import type { Change } from '@chairside/core/ports';
import { describe, expect, it } from 'vitest';
import { aKeyRecord, someTime } from '../../builders.ts';
import { answerOf, forget, type StoreSuite } from './suite.ts';
import { remove, write } from './write.ts';

/** Which records are removed, when, and which stay. */
export function forgettingContract(suite: StoreSuite): void {
  const { store, given } = suite;

  describe('deletes', () => {
    const keyOf = async (key: string) => answerOf(await store().keys.get('user-1', key));

    it('keys after their retention, and no others', async () => {
      const records = [
        aKeyRecord({ key: 'past', forgetAt: someTime - 1 }),
        aKeyRecord({ key: 'now', forgetAt: someTime }),
        aKeyRecord({ key: 'future', forgetAt: someTime + 1 }),
        aKeyRecord({ key: 'never' }),
        aKeyRecord({ key: 'paid', resourceId: 'cpm_1' }),
        aKeyRecord({ key: 'tendered', forgetAt: someTime - 1, resourceId: 'tnd_1' }),
      ];
      await given(...records.map(write.key.whole));
      await given(forget({}));
      expect(await keyOf('past')).toBeUndefined();
      expect(await keyOf('now')).toBeUndefined();
      expect(await keyOf('tendered')).toBeUndefined();
      for (const key of ['future', 'never', 'paid']) expect(await keyOf(key)).toBeDefined();
    });

    it('ids of commits before a time, and no others', async () => {
      const written = async (id: string, at: number) =>
        answerOf(await store().commit({ id, at, changes: [] }));
      // A clock that was ahead wrote it; later records must not wait for it.
      await written('ahead', someTime + 1);
      await written('older', someTime - 2);
      await written('old', someTime - 1);
      await written('then', someTime);
      await given(forget({ commitsBefore: someTime }));
      expect(answerOf(await store().wasCommitted('older'))).toBe(false);
      expect(answerOf(await store().wasCommitted('old'))).toBe(false);
      expect(answerOf(await store().wasCommitted('then'))).toBe(true);
      expect(answerOf(await store().wasCommitted('ahead'))).toBe(true);
    });

    it('ids of commits behind more than the limit of a clock that was ahead', async () => {
      const written = async (id: string, at: number) =>
        answerOf(await store().commit({ id, at, changes: [] }));
      for (const id of ['ahead 1', 'ahead 2', 'ahead 3']) await written(id, someTime + 1);
      for (const id of ['old 1', 'old 2', 'old 3']) await written(id, someTime - 1);
      for (let run = 1; run <= 2; run += 1) {
        await given(forget({ now: someTime, commitsBefore: someTime, limit: 2 }));
      }
      for (const id of ['old 1', 'old 2', 'old 3']) {
        expect(answerOf(await store().wasCommitted(id))).toBe(false);
      }
      expect(answerOf(await store().wasCommitted('ahead 1'))).toBe(true);
    });

    it('at most the limit of each type at a time', async () => {
      const names = ['1', '2', '3', '4', '5'];
      for (const name of names) {
        const changes: Change[] = [
          write.key({ key: name, forgetAt: someTime }),
          { kind: 'insertProcessorEvent', id: name, at: someTime - 1 },
          write.event({ subject: name, occurredAt: someTime - 1 }),
          // So it no longer waits from the time of its writer.
          { kind: 'postponeEvent', subject: name, version: 1 },
          { kind: 'reviveEvent', subject: name, version: 1, deliverAt: someTime - 2 },
        ];
        answerOf(await store().commit({ id: name, at: someTime - 1, changes }));
      }
      const left = async () => {
        const keys = await Promise.all(names.map(keyOf));
        const ids = await Promise.all(names.map((name) => store().wasCommitted(name)));
        const messages = await Promise.all(names.map((name) => store().processorEvents.has(name)));
        return [
          keys.filter((key) => key !== undefined).length,
          ids.filter(answerOf).length,
          messages.filter(answerOf).length,
          answerOf(await store().events.listDue(someTime, 9)).length,
        ];
      };
      const [commitsBefore, processorEventsBefore, eventsBefore] = [someTime, someTime, someTime];
      const bounded = forget({ commitsBefore, processorEventsBefore, eventsBefore, limit: 2 });
      for (const expected of [3, 1, 0, 0]) {
        await given(bounded);
        expect(await left()).toStrictEqual(Array(4).fill(expected));
      }
    });

    it('no keys of a payment with a similar id', async () => {
      const ids = ['cpm_1', 'cpm_10', 'cpm_', 'xcpm_1', 'cpmx1', 'cpm_%', 'CPM_1', 'cpm_1 '];
      const records = ids.map((id) => aKeyRecord({ key: id, resourceId: id }));
      await given(...records.map(write.key.whole));
      const left = new Set(ids);
      for (const id of ['cpm_1', 'cpm_', 'cpm_%']) {
        await given({ kind: 'deleteKeys', resourceId: id });
        left.delete(id);
        const found = await Promise.all(ids.map(keyOf));
        expect(found.flatMap((key) => key?.key ?? [])).toStrictEqual([...left]);
      }
    });

    it('every key of a payment, in any number', async () => {
      const names = Array.from({ length: 150 }, (_, index) => `${index}`);
      await given(...names.map((key) => write.key({ key, resourceId: 'cpm_1' })));
      await given({ kind: 'deleteKeys', resourceId: 'cpm_1' });
      const found = await Promise.all(names.map(keyOf));
      expect(found.filter((key) => key !== undefined)).toStrictEqual([]);
    });
  });

  it('removes a record, and none of another kind with the same id', async () => {
    const id = 'same';
    await given(
      write.payment({ id }),
      write.refund({ id, paymentId: id }),
      write.setup({ id }),
      write.terminal({ id }),
      write.schedule({ id }),
      write.financialAccount({ id }),
    );
    const left = async () => {
      const { payments, refunds, setups, terminals, schedules, financialAccounts } = store();
      const found = await Promise.all([
        ...[payments.get(id), refunds.get(id), setups.get(id)],
        ...[terminals.get(id), schedules.get(id), financialAccounts.get(id)],
      ]);
      return found.filter((answer) => answer._unsafeUnwrap() !== undefined).length;
    };
    expect(await left()).toBe(6);
    const removals: readonly Change[] = [
      { kind: 'deleteTerminal', id },
      remove.refund(id, 1),
      remove.setup(id, 1),
      { kind: 'deleteSchedule', barberId: 'barber-1', id },
      { kind: 'deleteFinancialAccount', businessId: 'business-1', id },
      remove.payment(id, 1),
    ];
    for (const [index, removal] of removals.entries()) {
      await given(removal);
      expect(await left()).toBe(5 - index);
    }
  });

  it('remembers a message of the processor until its deletion', async () => {
    await given(
      { kind: 'insertProcessorEvent', id: 'old', at: someTime - 1 },
      { kind: 'insertProcessorEvent', id: 'new', at: someTime },
    );
    const has = async (id: string) => answerOf(await store().processorEvents.has(id));
    expect([await has('old'), await has('new')]).toStrictEqual([true, true]);
    await given(forget({ processorEventsBefore: someTime }));
    expect([await has('old'), await has('new')]).toStrictEqual([false, true]);
  });
}
