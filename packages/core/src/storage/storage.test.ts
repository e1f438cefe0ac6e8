import { describe, expect, it } from 'vitest';
import { problem, value } from '../../test/support.ts';
import { err, ok } from '../values/result.ts';
import {
  type CommitOutcome,
  createCalls,
  createCertainty,
  createRetries,
  type SearchOutcome,
} from './index.ts';

const gone = new Error('the connection has ended');
const busy = new Error('a deadlock');
const unapplied = { kind: 'storeUnavailable', outcome: 'notApplied' };
const unknown = { kind: 'storeUnavailable', outcome: 'unknown' };

const lost: CommitOutcome = { kind: 'unknown', error: gone };
const denied: CommitOutcome = { kind: 'denied' };
const written: CommitOutcome = { kind: 'written' };
const conflict: CommitOutcome = { kind: 'conflict', change: 'deleteKeys' };
const failed: CommitOutcome = { kind: 'notApplied', mayRetry: false, error: gone };
const deadlock: CommitOutcome = { kind: 'notApplied', mayRetry: true, error: busy };

/** A certainty of three tries. An attempt or a question takes the next of its outcomes. */
function tries() {
  const reported: unknown[] = [];
  const certainty = createCertainty(
    createRetries(3, async () => {}),
    (error) => reported.push(error),
  );
  const next = <T>(outcomes: readonly T[]) => {
    const left = [...outcomes];
    return async () => {
      const outcome = left.shift();
      if (outcome === undefined) throw new Error('one try too many');
      return outcome;
    };
  };
  return {
    reported,
    send: (...outcomes: readonly CommitOutcome[]) => certainty.commit('commit-1', next(outcomes)),
    ask: (...outcomes: readonly SearchOutcome[]) =>
      certainty.wasCommitted('commit-1', next(outcomes)),
  };
}

describe('a commit', () => {
  it.each<readonly [string, readonly CommitOutcome[]]>([
    ['the first attempt', [written]],
    ['an attempt after a deadlock', [deadlock, written]],
    ['an attempt after a lost reply', [lost, written]],
  ])('is written by %s', async (_, outcomes) => {
    value(await tries().send(...outcomes));
  });

  it.each<readonly [string, readonly CommitOutcome[], object]>([
    ['a conflict names the change', [conflict], { kind: 'storeConflict', change: 'deleteKeys' }],
    ['a denied one is not applied', [denied], unapplied],
    ['an error without a retry: not applied', [failed], { ...unapplied, cause: gone }],
    ['three deadlocks: not applied', [deadlock, deadlock, deadlock], { ...unapplied, cause: busy }],
    ['three lost replies: unknown', [lost, lost, lost], { ...unknown, cause: gone }],
    ['denied after a lost reply: not applied', [lost, denied], { ...unapplied, cause: gone }],
    ['a conflict after a lost reply: unknown', [lost, conflict], { ...unknown, cause: gone }],
    ['an error after a lost reply: unknown', [lost, failed], { ...unknown, cause: gone }],
    [
      'deadlocks after a lost reply: unknown',
      [lost, deadlock, deadlock],
      { ...unknown, cause: busy },
    ],
  ])('%s', async (_, outcomes, expected) => {
    expect(problem(await tries().send(...outcomes))).toStrictEqual(expected);
  });

  it('reports each error', async () => {
    const { reported, send } = tries();
    value(await send(deadlock, lost, written));
    expect(reported).toStrictEqual([busy, gone]);
  });

  it.each<readonly [string, SearchOutcome]>([
    ['found', { kind: 'found' }],
    ['denied', { kind: 'denied' }],
  ])('is no longer in doubt once it is %s', async (_, outcome) => {
    const { send, ask } = tries();
    expect(problem(await send(lost, failed))).toStrictEqual({ ...unknown, cause: gone });
    expect(value(await ask(outcome))).toBe(outcome.kind === 'found');
    expect(problem(await send(conflict))).toMatchObject({ kind: 'storeConflict' });
  });
});

it.each([written, denied])('a commit that was $kind is no longer in doubt', async (outcome) => {
  const { send } = tries();
  expect((await send(lost, outcome)).isOk()).toBe(outcome === written);
  expect(problem(await send(conflict))).toMatchObject({ kind: 'storeConflict' });
});

it('of uncertain commits, the latest 20,000 are remembered', async () => {
  const once = createRetries(1, async () => {});
  const certainty = createCertainty(once, () => {});
  const send = (id: number, outcome: CommitOutcome) =>
    certainty.commit(`${id}`, async () => outcome);
  for (let id = 0; id <= 20_000; id += 1) expect((await send(id, lost)).isErr()).toBe(true);
  expect(problem(await send(1, conflict))).toEqual(unknown);
  expect(problem(await send(0, conflict))).toMatchObject({ kind: 'storeConflict' });
});

describe('a question about a commit', () => {
  it('waits while the commit is under way', async () => {
    const certainty = createCertainty(
      createRetries(1, async () => {}),
      () => {},
    );
    const reply = Promise.withResolvers<CommitOutcome>();
    let isAsked = false;
    const sent = certainty.commit('commit-1', () => reply.promise);
    const asked = certainty.wasCommitted('commit-1', async () => {
      isAsked = true;
      return { kind: 'found' };
    });
    await new Promise((resolve) => setTimeout(resolve));
    expect(isAsked).toBe(false);
    reply.resolve(written);
    value(await sent);
    expect(value(await asked)).toBe(true);
  });

  it('waits for each commit with its id, and for no other', async () => {
    const certainty = createCertainty(
      createRetries(1, async () => {}),
      () => {},
    );
    const ends: (() => void)[] = [];
    const commit = (id: string) => {
      const reply = Promise.withResolvers<CommitOutcome>();
      ends.push(() => reply.resolve(written));
      return certainty.commit(id, () => reply.promise);
    };
    const sent = ['a', 'b', 'c', 'b', 'd'].map(commit);
    const asked: string[] = [];
    const questions = ['d', 'b', 'a'].map((id) =>
      certainty.wasCommitted(id, async () => {
        asked.push(id);
        return { kind: 'found' };
      }),
    );
    const askedAfter: string[][] = [];
    for (const place of [0, 4, 1, 2, 3]) {
      ends[place]?.();
      expect((await sent[place])?.isOk()).toBe(true);
      await new Promise((resolve) => setTimeout(resolve));
      askedAfter.push(asked.splice(0));
    }
    expect(askedAfter).toEqual([['a'], ['d'], [], [], ['b']]);
    for (const question of questions) expect(value(await question)).toBe(true);
  });

  it('is repeated while the database may answer later', async () => {
    const { reported, ask } = tries();
    const later: SearchOutcome = { kind: 'unavailable', mayRetry: true, error: busy };
    expect(value(await ask(later, later, { kind: 'denied' }))).toBe(false);
    expect(reported).toStrictEqual([busy, busy]);
  });

  it('that fails claims nothing', async () => {
    const { ask } = tries();
    const asked = await ask({ kind: 'unavailable', mayRetry: false, error: gone });
    expect(problem(asked)).toStrictEqual({ ...unapplied, cause: gone });
  });
});

it('pauses between two tries grow, up to half a second', async () => {
  const pauses: number[] = [];
  const again = createRetries(12, async (ms) => pauses.push(ms))();
  while (await again());
  expect(pauses).toHaveLength(11);
  pauses.forEach((ms, index) => {
    const longest = Math.min(5 * 2 ** (index + 1), 500);
    expect(ms).toBeGreaterThanOrEqual(longest / 2);
    expect(ms).toBeLessThanOrEqual(longest);
  });
});

describe('the calls of a store', () => {
  it('report what is thrown, and return it as an error', async () => {
    const reported: unknown[] = [];
    const calls = createCalls((error) => reported.push(error));
    expect(value(await calls.read(() => 7))).toBe(7);
    const read = await calls.read(() => {
      throw gone;
    });
    expect(problem(read)).toStrictEqual({ ...unapplied, cause: gone });
    expect(value(await calls.run(async () => ok(7)))).toBe(7);
    expect(problem(await calls.run(async () => err(unapplied)))).toBe(unapplied);
    expect(problem(await calls.run(() => Promise.reject(gone)))).toStrictEqual({
      ...unknown,
      cause: gone,
    });
    expect(reported).toStrictEqual([gone, gone]);
  });

  it('that run are waited for at the close, and later ones are refused', async () => {
    const reported: unknown[] = [];
    const calls = createCalls((error) => reported.push(error));
    const { promise, resolve } = Promise.withResolvers<number>();
    const running = calls.read(() => promise);
    const ended = Promise.withResolvers<number>();
    const other = calls.run(async () => ok(await ended.promise));
    const ends: string[] = [];
    const closed = calls.close(() => {
      ends.push('let go');
      throw gone;
    });
    const again = calls.close(() => {
      ends.push('let go twice');
    });
    expect(problem(await calls.read(() => 7))).toStrictEqual(unapplied);
    expect(problem(await calls.run(async () => ok()))).toStrictEqual(unapplied);
    resolve(7);
    expect(value(await running)).toBe(7);
    await new Promise((next) => setTimeout(next));
    expect(ends).toStrictEqual([]);
    ended.resolve(8);
    expect(value(await other)).toBe(8);
    await Promise.all([closed, again]);
    expect(ends).toStrictEqual(['let go']);
    expect(reported).toStrictEqual([gone]);
  });

  it('let go at once if none runs', async () => {
    const calls = createCalls(() => {});
    let isOpen = true;
    await calls.close(() => {
      isOpen = false;
    });
    expect(isOpen).toBe(false);
  });
});
