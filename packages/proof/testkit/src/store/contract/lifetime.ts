import type { StoreUnavailable } from '@chairside/core/ports';
import { expect, it } from 'vitest';
import { someTime } from '../../builders.ts';
import { oneOfEachKind, readsOfNothing, recordsOf } from './records.ts';
import { answerOf, errorOf, ledgerMove, type StoreSuite } from './suite.ts';

const unavailable: StoreUnavailable = { kind: 'storeUnavailable', outcome: 'notApplied' };

/** The records that outlive the store, and its end. */
export function lifetimeContract(suite: StoreSuite): void {
  const { store, nextId, commit, given } = suite;

  it('returns the same records, byte for byte, after reopening', async (test) => {
    suite.needsReopening(test);
    await given(...oneOfEachKind);
    const id = nextId();
    answerOf(await store().commit({ id, at: someTime, changes: [] }));
    const before = JSON.stringify(await recordsOf(store()));
    await suite.reopen();
    expect(JSON.stringify(await recordsOf(store()))).toBe(before);
    expect(answerOf(await store().wasCommitted(id))).toBe(true);
  });

  it('finishes running calls before it closes', async (test) => {
    const sent = Array.from({ length: 20 }, () => commit(ledgerMove({ openPayments: 1 })));
    await store().close();
    for (const answer of await Promise.all(sent)) expect(answer.isOk()).toBe(true);
    suite.needsReopening(test);
    await suite.reopen();
    expect(answerOf(await store().ledgers.get('appointment-1')).openPayments).toBe(20);
  });

  it('finishes a running read before it closes', async () => {
    const asked = store().payments.get('no');
    await store().close();
    expect(answerOf(await asked)).toBeUndefined();
  });

  it('finishes running reads of each kind before it closes', async () => {
    const asked = readsOfNothing(store());
    await store().close();
    for (const [read, nothing] of asked) {
      expect(answerOf<unknown, unknown>(await read)).toStrictEqual(nothing);
    }
  });

  it('returns storeUnavailable after it was closed, and closes again', async () => {
    await store().close();
    await store().close();
    const reads = readsOfNothing(store()).map(([read]) => read);
    const answers = await Promise.all([commit(ledgerMove({})), ...reads]);
    for (const answer of answers) {
      expect(errorOf<unknown, unknown>(answer)).toStrictEqual(unavailable);
    }
  });
}
