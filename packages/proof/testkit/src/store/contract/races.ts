import type { Result } from '@chairside/core';
import type { Change, Commit, Store, StoreConflict, StoreUnavailable } from '@chairside/core/ports';
import { describe, expect, it } from 'vitest';
import { aPayment, someTime } from '../../builders.ts';
import { createMapDatabase } from '../map/database.ts';
import { connectTo } from '../map/map-store.ts';
import { type Contest, contests, type Rival, type Side } from './contests.ts';
import { oneOfEachKind, recordsOf } from './records.ts';
import { answerOf, errorOf, ledgerMove, type StoreSuite } from './suite.ts';
import { write } from './write.ts';

/**
 * How many times two changes meet. An adapter that checks before it writes is caught where one check
 * falls between the other's check and write: where that happens in half of the meetings, one run in
 * a thousand misses it.
 */
const meetings = 10;
/**
 * How many times two changes meet while the store is otherwise idle. A store that writes commits in
 * groups may notice only that two groups collide. An adapter that errs in 44 of 100 such meetings
 * passes all of them once in 10,000 runs.
 */
const loneMeetings = 16;
/** Opens the connections of a pool: the first meetings would otherwise wait for one after another. */
const warmUps = 16;

/** Two simultaneous commits have the effect of one after the other. */
export function racesContract(suite: StoreSuite): void {
  const { store, other, nextId, commit, insert } = suite;

  async function warm(nodes: readonly Store[]): Promise<void> {
    const writes = nodes.flatMap((node) =>
      Array.from({ length: warmUps }, () => send(node, write.barber())),
    );
    (await Promise.all(writes)).map(answerOf);
  }

  const send = (node: Store, change: Change) =>
    node.commit({ id: nextId(), at: someTime, changes: [change] });

  /** @param turn of two meetings in a row, each side sends first in one. */
  async function sendBoth(
    see: Contest['see'],
    [first, second]: readonly [Rival, Rival],
    { id, others, turn }: { readonly id: string; readonly others: Store; readonly turn: number },
  ): Promise<unknown> {
    const sendFirst = () => send(store(), first(id, 'a'));
    const sendSecond = () => send(others, second(id, 'b'));
    const answers =
      turn % 2 === 0
        ? await Promise.all([sendFirst(), sendSecond()])
        : (await Promise.all([sendSecond(), sendFirst()])).toReversed();
    const seen = await Promise.all([see(store(), id), see(others, id)]);
    return withoutId(id, { answers: answers.map(named), seen });
  }

  async function meet(
    { given, see }: Contest,
    rivals: readonly [Rival, Rival],
    turn: number,
  ): Promise<unknown> {
    const id = nextId();
    const others = await other();
    answerOf(await store().commit({ id: nextId(), at: someTime, changes: given(id) }));
    // A node must not rely on its earlier reads.
    const before = await Promise.all([see(store(), id), see(others, id)]);
    expect(before[1]).toStrictEqual(before[0]);
    return sendBoth(see, rivals, { id, others, turn });
  }

  /** Two commits of one meeting, and no other call. */
  async function meetAlone(
    { given, see, isWide }: Contest,
    rivals: readonly [Rival, Rival],
  ): Promise<readonly unknown[]> {
    const others = await other();
    const ids = Array.from({ length: loneMeetings }, () => nextId());
    const prepare = async (...prepared: readonly string[]) =>
      answerOf(
        await store().commit({ id: nextId(), at: someTime, changes: prepared.flatMap(given) }),
      );
    if (!isWide) await prepare(...ids);
    const outcomes: unknown[] = [];
    for (const [turn, id] of ids.entries()) {
      if (isWide) await prepare(id);
      outcomes.push(await sendBoth(see, rivals, { id, others, turn }));
    }
    return outcomes;
  }

  async function clear({ clear: changesOf }: Contest): Promise<void> {
    // At most two events of a subject are there.
    for (let times = 0; times < 3; times += 1) {
      const changes = (await changesOf?.(store())) ?? [];
      answerOf(await store().commit({ id: nextId(), at: someTime, changes }));
    }
  }

  /** The same on the store in memory, one after the other. */
  async function inOrder(contest: Contest, rivals: readonly [Rival, Rival], order: Side[]) {
    const model = connectTo(createMapDatabase());
    const id = 'the id';
    answerOf(await model.commit({ id: 'given', at: someTime, changes: contest.given(id) }));
    const answers = new Map<Side, unknown>();
    for (const side of order) {
      const change = rivals[side === 'a' ? 0 : 1](id, side);
      const answer = await model.commit({ id: side, at: someTime, changes: [change] });
      answers.set(side, named(answer));
    }
    const seen = await contest.see(model, id);
    return withoutId(id, { answers: [answers.get('a'), answers.get('b')], seen: [seen, seen] });
  }

  describe('of two commits in the same moment, on two nodes where it has them, one comes first:', () => {
    for (const contest of contests) {
      const rivals = Object.entries(contest.rivals);
      const pairs = rivals.flatMap((first, index) =>
        rivals.slice(index).map((second) => [first, second] as const),
      );
      it(contest.about, async () => {
        await warm([store(), await other()]);
        const { isWide = false } = contest;
        for (const [[firstName, first], [secondName, second]] of pairs) {
          const either = await Promise.all([
            inOrder(contest, [first, second], ['a', 'b']),
            inOrder(contest, [first, second], ['b', 'a']),
          ]);
          const together = Array.from({ length: isWide ? 0 : meetings }, (_, turn) =>
            meet(contest, [first, second], turn),
          );
          const met = await Promise.all(together);
          await clear(contest);
          const metAlone = await meetAlone(contest, [first, second]);
          for (const outcome of [...met, ...metAlone]) {
            const [before, after, seen] = [...either, outcome].map((one) => JSON.stringify(one));
            const what = `${firstName} and ${secondName}: ${seen} is neither ${before} nor ${after}`;
            expect(either, what).toContainEqual(outcome);
          }
          await clear(contest);
        }
      });
    }
  });

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
          write.event({ version: 2 }),
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
}

/** Ids differ from one meeting to the next; all else is the same. */
function withoutId(id: string, seen: unknown): unknown {
  const text = JSON.stringify(seen, (_, value) =>
    typeof value === 'bigint' ? `${value}n` : (value ?? null),
  );
  return JSON.parse(text.replaceAll(id, 'its id'));
}

function named(answer: Result<void, StoreConflict | StoreUnavailable>): string {
  if (answer.isOk()) return 'ok';
  const { error } = answer;
  if (error.kind === 'storeConflict') return `conflict: ${error.change}`;
  return `unavailable, ${error.outcome}: ${error.cause}`;
}

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
