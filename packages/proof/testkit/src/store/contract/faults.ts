import { minuteMs } from '@chairside/core';
import type { Commit } from '@chairside/core/ports';
import { describe, expect, it } from 'vitest';
import { answerOf, type StoreSuite } from './suite.ts';
import { type Answer, expectTrue, isThere, mostMessages, someCommit } from './written.ts';

/** How often a commit is sent again until the server is there. */
const tries = 20;

/** Responses of the store are true, even if a message is lost or the server stops. */
export function faultsContract(suite: StoreSuite): void {
  const { store, inTime } = suite;
  const newCommit = () => someCommit(suite);

  /** The answer is true now. A commit without a success can be sent again, unless it was denied. */
  async function expectTrueNow(commit: Commit, answer: Answer): Promise<void> {
    const observer = await suite.other();
    const isWritten = await isThere(observer, commit);
    expectTrue(answer, isWritten);
    const asked = await store().wasCommitted(commit.id);
    if (asked.isOk()) expect(asked.value, `wasCommitted(${commit.id})`).toBe(isWritten);
    if (asked.isOk() && !asked.value) {
      expect((await store().commit(commit)).isErr()).toBe(true);
      expect(await isThere(observer, commit)).toBe(false);
      return;
    }
    await untilWritten(commit);
    expect(await isThere(observer, commit)).toBe(true);
    expect(answerOf(await observer.wasCommitted(commit.id))).toBe(true);
  }

  async function untilWritten(commit: Commit): Promise<void> {
    let answer = await store().commit(commit);
    for (let count = 1; answer.isErr() && count < tries; count += 1) {
      expect(answer.error.kind).toBe('storeUnavailable');
      answer = await store().commit(commit);
    }
    answerOf(answer);
  }

  describe('where the connection to its server fails', () => {
    it('says what is true of a commit, for each reply that is lost', async (test) => {
      const loseReply = suite.need(test, 'loseReply');
      await untilWritten(newCommit());
      for (let after = 0; ; after += 1) {
        expect(after).toBeLessThan(mostMessages);
        const commit = newCommit();
        const calm = await loseReply(after);
        const answer = await inTime(store().commit(commit));
        const hasStruck = await calm();
        await expectTrueNow(commit, answer);
        if (!hasStruck) break;
      }
    });

    it('says what is true of a commit whose id was sent again, for each reply that is lost', async (test) => {
      const loseReply = suite.need(test, 'loseReply');
      for (let after = 0; ; after += 1) {
        expect(after).toBeLessThan(mostMessages);
        const commit = newCommit();
        await untilWritten(commit);
        const calm = await loseReply(after);
        const answer = await inTime(store().commit(commit));
        const hasStruck = await calm();
        if (answer.isErr()) {
          expect(answer.error).toMatchObject({ kind: 'storeUnavailable', outcome: 'unknown' });
        }
        await expectTrueNow(commit, answer);
        if (!hasStruck) break;
      }
    });

    it(
      'ends every call where the server falls silent, and says what is true',
      async (test) => {
        const stall = suite.need(test, 'stall');
        await untilWritten(newCommit());
        for (const after of [0, 1, 3]) {
          const commit = newCommit();
          const calm = await stall(after);
          const answer = await inTime(store().commit(commit));
          const hasStruck = await calm();
          await expectTrueNow(commit, answer);
          if (!hasStruck) break;
        }
        const calm = await stall(0);
        const read = await inTime(store().payments.get('cpm_1'));
        if (read.isErr()) expect(read.error.outcome).toBe('notApplied');
        await calm();
        await untilWritten(newCommit());
      },
      6 * minuteMs,
    );

    it('says what is true of many commits whose connections end, and goes on', async (test) => {
      const kill = suite.need(test, 'kill');
      for (let round = 0; round < 3; round += 1) {
        await Promise.all(Array.from({ length: 16 }, () => untilWritten(newCommit())));
        const commits = Array.from({ length: 40 }, newCommit);
        const sent = commits.map((commit) => inTime(store().commit(commit)));
        if (round > 0) expect((await Promise.race(sent)).isOk()).toBe(true);
        await kill();
        const answers = await Promise.all(sent);
        for (const [index, commit] of commits.entries()) {
          const answer = answers[index];
          if (answer !== undefined) await expectTrueNow(commit, answer);
        }
      }
    });

    it('keeps what it acknowledged when the server crashes, and goes on', async (test) => {
      const restart = suite.need(test, 'restart');
      const acknowledged = Array.from({ length: 16 }, newCommit);
      await Promise.all(acknowledged.map(untilWritten));
      const commits = Array.from({ length: 40 }, newCommit);
      const sent = commits.map((commit) => inTime(store().commit(commit)));
      expect((await Promise.race(sent)).isOk()).toBe(true);
      await restart();
      const answers = await Promise.all(sent);
      for (const [index, commit] of commits.entries()) {
        const answer = answers[index];
        if (answer !== undefined) await expectTrueNow(commit, answer);
      }
      for (const commit of acknowledged) expect(await isThere(store(), commit)).toBe(true);
    });
  });
}
