import { afterEach, describe, expect, it, vi } from 'vitest';
import { createQueue, type Limits, type Sized } from './queue.ts';

interface Job extends Sized {
  readonly name: string;
}

const job = (name: string, characters = 1): Job => ({ name, characters });
const limits: Limits = { maxGroups: 1, maxJobs: 3, maxCharacters: 10, longestWaitMs: 1000 };
const why = (error: unknown) => (error instanceof Error ? error.message : String(error));

interface Options {
  readonly over?: Partial<Limits>;
  readonly carryOut?: (names: readonly string[]) => Promise<readonly string[]>;
  readonly choose?: (jobs: readonly Job[]) => readonly Job[];
}

/** A queue, with the groups that it has sent. */
function queueOf({ over, carryOut = async (names) => names, choose }: Options = {}) {
  const groups: (readonly string[])[] = [];
  const add = createQueue<Job, string>(
    { ...limits, ...over },
    async (jobs) => {
      const names = jobs.map(({ name }) => name);
      groups.push(names);
      return carryOut(names);
    },
    (error, isUndone) => `${isUndone ? 'undone' : 'unknown'}: ${why(error)}`,
    choose,
  );
  const addAll = (...jobs: readonly Job[]) => Promise.all(jobs.map(add));
  return { add, addAll, groups };
}

describe('jobs of one turn', () => {
  it('share a group up to the number of jobs, in order', async () => {
    const { addAll, groups } = queueOf();
    const names = ['a', 'b', 'c', 'd'];
    expect(await addAll(...names.map((name) => job(name)))).toEqual(names);
    expect(groups).toEqual([['a', 'b', 'c'], ['d']]);
  });

  it('share a group up to its size, and a larger one is sent alone', async () => {
    const { addAll, groups } = queueOf();
    await addAll(job('a', 6), job('b', 4), job('c', 11), job('d'), job('e', 10));
    expect(groups).toEqual([['a', 'b'], ['c'], ['d'], ['e']]);
  });

  it('that are not chosen wait for the next group', async () => {
    const choose = (jobs: readonly Job[]) => jobs.filter((_, index) => index % 2 === 0);
    const { addAll, groups } = queueOf({ choose });
    expect(await addAll(job('a'), job('b'), job('c'))).toEqual(['a', 'b', 'c']);
    expect(groups).toEqual([['a', 'c'], ['b']]);
  });
});

it('runs no more groups than the maximum at once', async () => {
  const ends: (() => void)[] = [];
  const { add, groups } = queueOf({
    over: { maxGroups: 2, maxJobs: 1 },
    carryOut: (names) => new Promise((resolve) => ends.push(() => resolve(names))),
  });
  const asked = ['a', 'b', 'c'].map((name) => add(job(name)));
  await vi.waitFor(() => expect(groups).toEqual([['a'], ['b']]));
  await new Promise(setImmediate);
  expect(groups).toHaveLength(2);
  ends[1]?.();
  expect(await asked[1]).toBe('b');
  await vi.waitFor(() => expect(groups).toEqual([['a'], ['b'], ['c']]));
  for (const end of ends) end();
  expect(await Promise.all(asked)).toEqual(['a', 'b', 'c']);
});

describe('a group', () => {
  it('that fails leaves its jobs unknown, and the queue open', async () => {
    let isBroken = true;
    const carryOut = async (names: readonly string[]) => {
      if (isBroken) throw new Error('lost');
      return names;
    };
    const { addAll } = queueOf({ carryOut });
    expect(await addAll(job('a'), job('b'))).toEqual(['unknown: lost', 'unknown: lost']);
    isBroken = false;
    expect(await addAll(job('c'))).toEqual(['c']);
  });

  it('with too few results leaves the others unknown', async () => {
    const { addAll } = queueOf({ carryOut: async ([first = '']) => [first] });
    expect(await addAll(job('a'), job('b'))).toEqual(['a', 'unknown: A job has no answer']);
  });
});

describe('a job', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('that has waited for the longest time is not sent', async () => {
    let now = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    const { add, groups } = queueOf();
    const asked = [add(job('late')), add(job('too'))];
    now = 1;
    asked.push(add(job('in time')));
    now = limits.longestWaitMs;
    const refused = 'undone: The call waited for too long';
    expect(await Promise.all(asked)).toEqual([refused, refused, 'in time']);
    expect(groups).toEqual([['in time']]);
    const last = add(job('last'));
    now += limits.longestWaitMs;
    expect(await last).toBe(refused);
    expect(groups).toHaveLength(1);
    expect(await add(job('next'))).toBe('next');
  });

  it('is refused behind 10,000 others', async () => {
    const { add } = queueOf({ over: { maxJobs: 20_000, maxCharacters: 20_000 } });
    const asked = Array.from({ length: 10_001 }, (_, index) => add(job(`${index}`)));
    expect(await asked[10_000]).toBe('undone: Too many calls are waiting');
    expect(await asked[9999]).toBe('9999');
    expect(await add(job('later'))).toBe('later');
  });
});
