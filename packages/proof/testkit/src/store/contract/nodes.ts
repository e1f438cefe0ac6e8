import type { Change, Commit } from '@chairside/core/ports';
import { describe, expect, it } from 'vitest';
import { aPayment, someTime } from '../../builders.ts';
import { oneOfEachKind, recordsOf } from './records.ts';
import { answerOf, errorOf, ledgerMove, type StoreSuite } from './suite.ts';
import { write } from './write.ts';

/** Two nodes on the same records. */
export function nodesContract(suite: StoreSuite): void {
  const { store, nextId, given, insert } = suite;

  describe('another node', () => {
    it('reads what this one has written, also what it had read before', async (test) => {
      suite.need(test, 'second');
      const other = await suite.other();
      const both = async () => {
        const [mine, theirs] = await Promise.all([recordsOf(store()), recordsOf(other)]);
        expect(theirs).toStrictEqual(mine);
        return mine;
      };
      const before = await both();
      await given(...oneOfEachKind);
      const written = await both();
      expect(written).not.toStrictEqual(before);
      const changes: Change[] = [
        write.payment(),
        ledgerMove({ openPayments: 1 }),
        write.terminal(),
      ];
      answerOf(await other.commit({ id: nextId(), at: someTime, changes }));
      expect(await both()).not.toStrictEqual(written);
    });

    it('finds the ids of commits that this one has written', async (test) => {
      suite.need(test, 'second');
      const other = await suite.other();
      const commit: Commit = { id: nextId(), at: someTime, changes: [] };
      expect(answerOf(await other.wasCommitted(nextId()))).toBe(false);
      answerOf(await store().commit(commit));
      expect(answerOf(await other.wasCommitted(commit.id))).toBe(true);
    });

    it('goes on when this one is closed', async (test) => {
      suite.need(test, 'second');
      const other = await suite.other();
      await insert(aPayment());
      await store().close();
      expect(answerOf(await other.payments.get('cpm_1'))?.id).toBe('cpm_1');
      const changes: Change[] = [write.barber()];
      answerOf(await other.commit({ id: nextId(), at: someTime, changes }));
    });
  });

  describe('a commit that is sent many times at once, by two nodes where it has them,', () => {
    /** Both nodes, ten times each. */
    async function sendAll(commit: Commit) {
      const nodes = [store(), await suite.other()];
      return Promise.all(
        nodes.flatMap((node) => Array.from({ length: 10 }, () => node.commit(commit))),
      );
    }

    it('has one effect', async () => {
      for (let round = 0; round < 5; round += 1) {
        const id = nextId();
        const move = ledgerMove({ appointmentId: id, openPayments: 1 });
        const answers = await sendAll({ id, at: someTime, changes: [move] });
        answers.map(answerOf);
        expect(answerOf(await store().ledgers.get(id)).openPayments).toBe(1);
      }
    });

    it('is answered ok to no sender if it is refused', async () => {
      for (let round = 0; round < 5; round += 1) {
        const id = nextId();
        const changes: Change[] = [
          ledgerMove({ appointmentId: id, openPayments: 1 }),
          { kind: 'deleteTerminal', id: 'no' },
        ];
        for (const answer of await sendAll({ id, at: someTime, changes })) {
          expect(errorOf(answer)).toStrictEqual({
            kind: 'storeConflict',
            change: 'deleteTerminal',
          });
        }
        expect(answerOf(await store().ledgers.get(id)).openPayments).toBe(0);
        expect(answerOf(await store().wasCommitted(id))).toBe(false);
      }
    });

    it('can be read by its effect as soon as one sender is answered', async () => {
      for (let round = 0; round < 20; round += 1) {
        const id = nextId();
        const commit: Commit = {
          id,
          at: someTime,
          changes: [ledgerMove({ appointmentId: id, openPayments: 1 })],
        };
        const other = await suite.other();
        const first = await Promise.race([store().commit(commit), store().commit(commit)]);
        answerOf(first);
        expect(answerOf(await other.ledgers.get(id)).openPayments).toBe(1);
      }
    });
  });

  it('does not call a commit not written that is under way and is then written', async () => {
    for (let round = 0; round < 20; round += 1) {
      const id = nextId();
      const sent = store().commit({
        id,
        at: someTime,
        changes: [ledgerMove({ appointmentId: id, openPayments: 1 })],
      });
      const asked = await store().wasCommitted(id);
      answerOf(await sent);
      if (asked.isOk()) expect(asked.value).toBe(true);
      else expect(asked.error.kind).toBe('storeUnavailable');
    }
  });
}
