import { minuteMs, type Result } from '@chairside/core';
import type { Commit, Store, StoreConflict, StoreUnavailable } from '@chairside/core/ports';
import { describe, expect, it } from 'vitest';
import { someTime } from '../../builders.ts';
import { about } from './failures.ts';
import { answerOf, ledgerMove, type StoreSuite } from './suite.ts';
import { write } from './write.ts';

/** No commit takes more messages than that. */
const mostMessages = 60;
/** How often a commit is sent again until the server is there. */
const tries = 20;

type Answer = Result<void, StoreConflict | StoreUnavailable>;

/** Responses of the store are true, even if a message is lost or the server stops. */
export function faultsContract(suite: StoreSuite): void {
  const { store, nextId, inTime } = suite;

  /** One record of three tables each, so that a part shows. */
  function someCommit(): Commit {
    const id = nextId();
    return {
      id,
      at: someTime,
      changes: [
        write.payment({ id }),
        ledgerMove({ appointmentId: id, openPayments: 1 }),
        write.barber({ id }),
      ],
    };
  }

  /** Whether a commit is visible to another node, whose connections have no faults. */
  async function isThere(node: Store, { id }: Commit): Promise<boolean> {
    const payment = answerOf(await node.payments.get(id)) !== undefined;
    const { openPayments } = answerOf(await node.ledgers.get(id));
    const barber = answerOf(await node.barbers.get(id)) !== undefined;
    const seen = { payment, openPayments, barber };
    expect(seen).toStrictEqual({ payment, openPayments: payment ? 1 : 0, barber: payment });
    return payment;
  }

  /** The answer is true now. A commit without a success can be sent again, unless it was denied. */
  async function expectTrue(commit: Commit, answer: Answer): Promise<void> {
    const observer = await suite.other();
    const isWritten = await isThere(observer, commit);
    const said = answer.isOk() ? 'ok' : answer.error;
    if (said === 'ok') expect(isWritten, `The store answered ok${about(answer)}`).toBe(true);
    else {
      expect(said, `The answer${about(answer)}`).toMatchObject({ kind: 'storeUnavailable' });
      if (said.kind === 'storeUnavailable' && said.outcome === 'notApplied') {
        expect(isWritten, `The store said notApplied${about(answer)}`).toBe(false);
      }
    }
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
      await untilWritten(someCommit());
      for (let after = 0; ; after += 1) {
        expect(after).toBeLessThan(mostMessages);
        const commit = someCommit();
        const calm = await loseReply(after);
        const answer = await inTime(store().commit(commit));
        const hasStruck = await calm();
        await expectTrue(commit, answer);
        if (!hasStruck) break;
      }
    });

    it('says what is true of a commit whose id was sent again, for each reply that is lost', async (test) => {
      const loseReply = suite.need(test, 'loseReply');
      for (let after = 0; ; after += 1) {
        expect(after).toBeLessThan(mostMessages);
        const commit = someCommit();
        await untilWritten(commit);
        const calm = await loseReply(after);
        const answer = await inTime(store().commit(commit));
        const hasStruck = await calm();
        if (answer.isErr()) {
          expect(answer.error).toMatchObject({ kind: 'storeUnavailable', outcome: 'unknown' });
        }
        await expectTrue(commit, answer);
        if (!hasStruck) break;
      }
    });

    it(
      'ends every call where the server falls silent, and says what is true',
      async (test) => {
        const stall = suite.need(test, 'stall');
        await untilWritten(someCommit());
        for (const after of [0, 1, 3]) {
          const commit = someCommit();
          const calm = await stall(after);
          const answer = await inTime(store().commit(commit));
          const hasStruck = await calm();
          await expectTrue(commit, answer);
          if (!hasStruck) break;
        }
        const calm = await stall(0);
        const read = await inTime(store().payments.get('cpm_1'));
        if (read.isErr()) expect(read.error.outcome).toBe('notApplied');
        await calm();
        await untilWritten(someCommit());
      },
      6 * minuteMs,
    );

    it('says what is true of many commits whose connections end, and goes on', async (test) => {
      const kill = suite.need(test, 'kill');
      for (let round = 0; round < 3; round += 1) {
        await Promise.all(Array.from({ length: 16 }, () => untilWritten(someCommit())));
        const commits = Array.from({ length: 40 }, someCommit);
        const sent = commits.map((commit) => inTime(store().commit(commit)));
        if (round > 0) expect((await Promise.race(sent)).isOk()).toBe(true);
        await kill();
        const answers = await Promise.all(sent);
        for (const [index, commit] of commits.entries()) {
          const answer = answers[index];
          if (answer !== undefined) await expectTrue(commit, answer);
        }
      }
    });

    it('keeps what it acknowledged when the server crashes, and goes on', async (test) => {
      const restart = suite.need(test, 'restart');
      const acknowledged = Array.from({ length: 16 }, someCommit);
      await Promise.all(acknowledged.map(untilWritten));
      const commits = Array.from({ length: 40 }, someCommit);
      const sent = commits.map((commit) => inTime(store().commit(commit)));
      expect((await Promise.race(sent)).isOk()).toBe(true);
      await restart();
      const answers = await Promise.all(sent);
      for (const [index, commit] of commits.entries()) {
        const answer = answers[index];
        if (answer !== undefined) await expectTrue(commit, answer);
      }
      for (const commit of acknowledged) expect(await isThere(store(), commit)).toBe(true);
    });
  });
}
