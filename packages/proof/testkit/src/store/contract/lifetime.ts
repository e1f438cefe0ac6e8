import type { StoreUnavailable } from '@chairside/core/ports';
import { describe, expect, it } from 'vitest';
import { someTime } from '../../builders.ts';
import { expectTrue, isThere, someCommit } from './faults.ts';
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

const disks = [
  ['has kept', true],
  ['has lost', false],
] as const;

/**
 * After a flush that failed, only the next start shows what the disk has. Until then a store cannot
 * say that a commit was not applied, and cannot show or build on its changes.
 */
export function flushesContract(suite: StoreSuite): void {
  const { store } = suite;

  const newCommit = () => someCommit(suite);

  describe('where the disk fails', () => {
    it.for(disks)('says what is true of commits whose flush it %s', async ([, isKept], test) => {
      const failFlush = suite.need(test, 'failFlush');
      suite.needsReopening(test);
      const acknowledged = newCommit();
      answerOf(await store().commit(acknowledged));
      const calm = await failFlush(isKept);
      const commits = [newCommit(), newCommit()];
      const answers = await Promise.all(commits.map((commit) => store().commit(commit)));
      expect(await calm(), 'a commit was answered without a flush').toBe(true);
      const seen = await Promise.all(commits.map(({ id }) => store().payments.get(id)));
      const asked = await Promise.all(commits.map(({ id }) => store().wasCommitted(id)));
      const later = newCommit();
      const laterAnswer = await store().commit(later);
      await suite.reopen();
      expect(await isThere(store(), acknowledged)).toBe(true);
      for (const [index, commit] of [...commits, later].entries()) {
        const isWritten = await isThere(store(), commit);
        const answer = [...answers, laterAnswer][index];
        if (answer === undefined) continue;
        expectTrue(answer, isWritten);
        const read = seen[index];
        if (read?.isOk()) expect(read.value !== undefined, 'a read').toBe(isWritten);
        const found = asked[index];
        if (found?.isOk()) expect(found.value, 'wasCommitted').toBe(isWritten);
      }
      answerOf(await store().commit(newCommit()));
    });
  });
}
