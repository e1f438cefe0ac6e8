import { expect, it } from 'vitest';
import { aKeyRecord, anEvent, aPayment } from '../../builders.ts';
import { answerOf, errorOf, type StoreSuite } from './suite.ts';

/** Exactly one of many concurrent claims succeeds. */
export function racesContract(suite: StoreSuite): void {
  const { store, commit, insert } = suite;

  it('lets one of 100 writers of the same version win', async () => {
    await insert(aPayment());
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, writer) =>
        commit(
          {
            kind: 'updatePayment',
            payment: aPayment({ version: 2, clientSecret: `${writer}` }),
            expectedVersion: 1,
          },
          { kind: 'appendEvent', event: anEvent({ version: 2 }) },
        ),
      ),
    );
    const won = answers.flatMap((answer, writer) => (answer.isOk() ? [`${writer}`] : []));
    expect(won).toHaveLength(1);
    expect(answerOf(await store().payments.get('cpm_1'))?.clientSecret).toBe(won[0]);
    for (const lost of answers.filter((answer) => answer.isErr())) {
      expect(errorOf(lost)).toStrictEqual({ kind: 'storeConflict', change: 'updatePayment' });
    }
  });

  it('gives one of 100 claims the key', async () => {
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, claim) =>
        commit({ kind: 'insertKey', record: aKeyRecord({ resourceId: `cpm_${claim}` }) }),
      ),
    );
    const won = answers.flatMap((answer, claim) => (answer.isOk() ? [`cpm_${claim}`] : []));
    expect(won).toHaveLength(1);
    expect(answerOf(await store().keys.get('user-1', 'key-1'))?.resourceId).toBe(won[0]);
  });
}
