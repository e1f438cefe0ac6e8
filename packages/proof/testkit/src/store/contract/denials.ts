import type { Store } from '@chairside/core/ports';
import { describe, expect, it } from 'vitest';
import { someTime } from '../../builders.ts';
import { answerOf, errorOf, forget, ledgerMove, type StoreSuite } from './suite.ts';

const notApplied = { kind: 'storeUnavailable', outcome: 'notApplied' };
/** Later than the time of any database. */
const muchLater = Date.UTC(2999, 0);
/** Long enough for a question that does not wait. */
const shortlyMs = 50;
/** How long the commit has waited when it is asked about. */
const waitedMs = [0, 0, 150, 500];

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** `wasCommitted` is final: a commit that it denies is never applied. */
export function denialsContract(suite: StoreSuite): void {
  const { store, nextId, given } = suite;
  const move = ledgerMove({ openPayments: 1 });
  const openPayments = async () =>
    answerOf(await store().ledgers.get('appointment-1')).openPayments;

  const askers: [string, () => Promise<Store>][] = [
    ['the same store', async () => store()],
    ['another node', () => suite.other()],
  ];

  describe('wasCommitted (D150)', () => {
    it.each(askers)('is final where it denies a commit: %s', async (_, asker) => {
      const commit = { id: nextId(), at: someTime, changes: [move] };
      const asked = await asker();
      expect(answerOf(await asked.wasCommitted(commit.id))).toBe(false);
      for (let count = 0; count < 2; count += 1) {
        expect(errorOf(await store().commit(commit))).toMatchObject(notApplied);
        expect(await openPayments()).toBe(0);
        expect(answerOf(await asked.wasCommitted(commit.id))).toBe(false);
      }
    });

    it.for(askers)('is true of a commit that waits for a lock: %s', async ([, asker], test) => {
      const hold = suite.need(test, 'hold');
      await given(move);
      const asked = await asker();
      for (const waited of waitedMs) {
        const before = await openPayments();
        const id = nextId();
        const held = await hold('appointment-1');
        const sent = store().commit({ id, at: someTime, changes: [move] });
        await held.waitedFor();
        await pause(waited);
        const answer = asked.wasCommitted(id);
        await Promise.race([answer, pause(shortlyMs)]);
        await held.release();
        const isWritten = (await sent).isOk();
        const isFound = await answer;
        expect(await openPayments()).toBe(isWritten ? before + 1 : before);
        if (isFound.isOk()) expect(isFound.value).toBe(isWritten);
        else expect(isFound.error).toMatchObject(notApplied);
      }
    });

    it('forgets denials as it forgets ids of commits', async () => {
      const commit = { id: nextId(), at: someTime, changes: [move] };
      expect(answerOf(await store().wasCommitted(commit.id))).toBe(false);
      await given(forget({ now: muchLater, commitsBefore: muchLater }));
      answerOf(await store().commit(commit));
      expect(await openPayments()).toBe(1);
    });
  });
}
