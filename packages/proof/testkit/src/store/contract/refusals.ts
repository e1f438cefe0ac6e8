import { describe, expect, it } from 'vitest';
import { aPayment } from '../../builders.ts';
import { conditions } from './conditions.ts';
import { oneOfEachKind, recordsOf } from './records.ts';
import { answerOf, type StoreSuite } from './suite.ts';
import { write } from './write.ts';

/** A failed condition is named, and no change of its commit is applied. */
export function refusalsContract(suite: StoreSuite): void {
  const { store, given, refuses } = suite;

  describe('refuses, and names,', () => {
    it.each(conditions)('%s', async (_when, changes, refused) => {
      await given(...changes);
      const before = await recordsOf(store());
      await refuses(refused.kind, refused);
      // Earlier changes of the commit are rolled back too.
      await refuses(refused.kind, ...oneOfEachKind, refused);
      expect(await recordsOf(store())).toStrictEqual(before);
    });
  });

  it('names the first condition that failed', () =>
    refuses(
      'deleteTerminal',
      write.barber(),
      { kind: 'deleteTerminal', id: 'no' },
      { kind: 'deletePayment', id: 'no', expectedVersion: 1 },
    ));

  it('checks a condition against the changes before it in the same commit', async () => {
    const payment = aPayment();
    await refuses(
      'insertPayment',
      { kind: 'insertPayment', payment },
      { kind: 'insertPayment', payment },
    );
    expect(answerOf(await store().payments.get(payment.id))).toBeUndefined();
    const second = { ...payment, version: 2 };
    await given(
      { kind: 'insertPayment', payment },
      { kind: 'updatePayment', payment: second, expectedVersion: 1 },
    );
    expect(answerOf(await store().payments.get(payment.id))?.version).toBe(2);
  });
}
