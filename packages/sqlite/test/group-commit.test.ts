import { setImmediate as nextTurn } from 'node:timers/promises';
import { ok } from '@chairside/core';
import type { Commit, Store } from '@chairside/core/ports';
import { aPayment } from '@chairside/testkit';
import { describe, expect, it, vi } from 'vitest';
import { createCommitQueue } from '../src/commit-queue.ts';
import type { Writer } from '../src/writer.ts';
import {
  commitOf,
  insertOf,
  newPath,
  openDatabase,
  openNoting,
  openStore,
  watchStatement,
} from './helpers.ts';

const unavailable = { kind: 'storeUnavailable', outcome: 'notApplied' };

describe('commits of one turn', () => {
  it('share one transaction, with separate results', async () => {
    const db = openDatabase();
    const commits = watchStatement(db, 'COMMIT');
    const store = openStore(db);
    const answers = await Promise.all([
      store.commit(insertOf('1')),
      store.commit(commitOf('2', { kind: 'deleteTerminal', id: 'no' })),
      store.commit(insertOf('3')),
      store.commit(commitOf('4', { kind: 'putBarber', barber: { id: 'b', businessId: 'x' } })),
    ]);
    expect(commits.runs).toBe(1);
    expect(answers.map((answer) => answer.isOk())).toStrictEqual([true, false, true, true]);
    expect((await store.wasCommitted('2'))._unsafeUnwrap()).toBe(false);
  });

  it('are applied in their order', async () => {
    const store = openStore(':memory:');
    const update = (version: number) =>
      store.commit(
        commitOf(`${version}`, {
          kind: 'updatePayment',
          payment: aPayment({ version }),
          expectedVersion: version - 1,
        }),
      );
    const answers = await Promise.all([
      store.commit(insertOf('cpm_1')),
      ...[2, 3, 4, 5, 6].map(update),
    ]);
    expect(answers.every((answer) => answer.isOk())).toBe(true);
  });

  it('are spread over transactions of a bounded size', async () => {
    const db = openDatabase(':memory:');
    const commits = watchStatement(db, 'COMMIT');
    const store = openStore(db);
    const write = async (commits: readonly Commit[]) => {
      const answers = await Promise.all(commits.map((commit) => store.commit(commit)));
      expect(answers.every((answer) => answer.isOk())).toBe(true);
    };
    await write(Array.from({ length: 600 }, (_, id) => insertOf(`${id}`)));
    expect(commits.runs).toBe(3); // 256, 256 and 88

    const none = { kind: 'deleteKeys', resourceId: 'none' } as const;
    const many = Array.from({ length: 600 }, () => none);
    await write(['a', 'b', 'c'].map((id) => commitOf(id, ...many)));
    expect(commits.runs).toBe(6); // two would have more than 1024 changes
    await write(['d', 'e'].map((id) => commitOf(id, ...many.slice(0, 512))));
    expect(commits.runs).toBe(7);
    await write([commitOf('f', ...many, ...many), insertOf('g')]);
    expect(commits.runs).toBe(9); // a larger commit is written alone
  });

  it('are refused when too many wait already', async () => {
    const store = openStore(':memory:');
    const answers = Array.from({ length: 10_001 }, (_, id) => store.commit(commitOf(`${id}`)));
    expect((await answers[10_000])?._unsafeUnwrapErr()).toStrictEqual(unavailable);
    const waited = await Promise.all(answers.slice(0, 10_000));
    expect(waited.every((answer) => answer.isOk())).toBe(true);
    expect((await store.commit(commitOf('later'))).isOk()).toBe(true);
  });
});

describe('a host without types', () => {
  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['no changes', { id: '1', at: 0 }],
    ['changes that are no list', { id: '1', at: 0, changes: null }],
    ['a change that is none', { id: '1', at: 0, changes: [null] }],
  ])('that commits %s gets an error, and blocks no other commit', async (_, commit) => {
    const { store, errors } = openNoting(':memory:');
    const [before, malformed, after] = await Promise.all([
      store.commit(insertOf('before')),
      store.commit(commit as Commit), // cast: hosts without types may pass it
      store.commit(insertOf('after')),
    ]);
    expect([before.isOk(), after.isOk()]).toStrictEqual([true, true]);
    expect(malformed._unsafeUnwrapErr()).toStrictEqual(unavailable);
    expect(errors).toStrictEqual([expect.any(TypeError)]);
    expect((await store.commit(insertOf('later'))).isOk()).toBe(true);
  });

  it('that empties its list while the commit waits blocks no other commit', async () => {
    const store = openStore(':memory:');
    const commit = { ...insertOf('1') };
    const answers = [store.commit(commit), store.commit(insertOf('2'))];
    Reflect.deleteProperty(commit, 'changes');
    expect((await answers[0])?._unsafeUnwrapErr()).toStrictEqual(unavailable);
    expect((await answers[1])?.isOk()).toBe(true);
  });
});

it('a writer that throws leaves its batch unknown, and the queue open', async () => {
  const thrown = new Error('a defect');
  const errors: unknown[] = [];
  const throwsOnce = vi.fn<Writer['write']>((commits) => commits.map(() => ok()));
  throwsOnce.mockImplementationOnce(() => {
    throw thrown;
  });
  const queue = createCommitQueue(
    { write: throwsOnce },
    1,
    () => false,
    (error) => errors.push(error),
  );
  const lost = await Promise.all([queue.add(commitOf('1')), queue.add(commitOf('2'))]);
  for (const answer of lost) {
    expect(answer._unsafeUnwrapErr()).toStrictEqual({ ...unavailable, outcome: 'unknown' });
  }
  expect(errors).toStrictEqual([thrown]);
  expect((await queue.add(commitOf('3'))).isOk()).toBe(true);
});

describe('a commit beside requests that still read (D71)', () => {
  it('is written together with their later commits', async () => {
    const db = openDatabase();
    const commits = watchStatement(db, 'COMMIT');
    const store = openStore(db);
    const readThenWrite = async (id: string, reads: number) => {
      for (let i = 0; i < reads; i += 1) (await store.payments.get(id))._unsafeUnwrap();
      return store.commit(insertOf(id));
    };
    const answers = await Promise.all([
      store.commit(insertOf('1')),
      readThenWrite('2', 2),
      readThenWrite('3', 4),
    ]);
    expect(answers.every((answer) => answer.isOk())).toBe(true);
    expect(commits.runs).toBe(1);
  });

  it('does not wait for endless readers', async () => {
    const store = openStore(':memory:');
    const reads = await readsUntil(store, Promise.all([store.commit(insertOf('1'))]));
    expect(reads).toBeLessThanOrEqual(6);
  });

  it('does not wait if there are enough for a batch', async () => {
    const store = openStore(':memory:');
    const commits = Array.from({ length: 256 }, (_, id) => store.commit(insertOf(`${id}`)));
    expect(await readsUntil(store, Promise.all(commits))).toBeLessThanOrEqual(2);
  });

  /** The number of reads, one after the other, before the work is done; at most 100. */
  async function readsUntil(store: Store, work: Promise<unknown>): Promise<number> {
    let isDone = false;
    const done = work.then(() => {
      isDone = true;
    });
    let reads = 0;
    for (; !isDone && reads < 100; reads += 1) (await store.payments.get('1'))._unsafeUnwrap();
    await done;
    return reads;
  }
});

it('writes a single commit in the next turn, without a timer, and then rests', async () => {
  const db = openDatabase(':memory:');
  const begin = watchStatement(db, 'BEGIN IMMEDIATE');
  const store = openStore(db);
  let isAnswered = false;
  const answer = store.commit(insertOf('cpm_1')).andTee(() => {
    isAnswered = true;
  });
  await nextTurn();
  await nextTurn();
  expect(isAnswered).toBe(true);
  expect((await answer).isOk()).toBe(true);
  for (let turns = 0; turns < 10; turns += 1) await nextTurn();
  expect(begin.runs).toBe(1);
});

it('returns for a waiting commit once it is written', async () => {
  const store = openStore(':memory:');
  const [, written, refused] = await Promise.all([
    store.commit(insertOf('1')),
    store.wasCommitted('1'),
    store.wasCommitted('2'),
  ]);
  expect(written._unsafeUnwrap()).toBe(true);
  expect(refused._unsafeUnwrap()).toBe(false);
});

describe('two stores on one file', () => {
  it('both write, and see each other’s commits', async () => {
    const path = newPath();
    const stores = [openStore(path), openStore(path)];
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        stores[i % 2]?.commit(
          commitOf(`${i}`, {
            kind: 'moveLedger',
            appointmentId: 'a',
            openPayments: 1,
            reservedMinor: 0n,
            capturedMinor: 0n,
            currency: 'eur',
            maxOpenPayments: 150,
          }),
        ),
      ),
    );
    expect(answers.filter((answer) => answer?.isOk())).toHaveLength(150);
    for (const store of stores) {
      expect((await store.ledgers.get('a'))._unsafeUnwrap().openPayments).toBe(150);
      await store.close();
    }
  });

  it('wait for the other’s lock without blocking the event loop', async () => {
    const path = newPath();
    const store = openStore(path);
    const other = openDatabase(path);
    other.exec('BEGIN IMMEDIATE');
    const answer = store.commit(insertOf('cpm_1'));
    const release = new Promise((resolve) => setTimeout(resolve, 150)).then(() =>
      other.exec('COMMIT'),
    );
    expect((await answer).isOk()).toBe(true);
    await release;
  });

  it('give up finally, and continue when the lock is free', async () => {
    const path = newPath();
    const db = openDatabase(path);
    const begun = watchStatement(db, 'BEGIN IMMEDIATE');
    const { store, errors } = openNoting(db, { maxBusyAttempts: 3 });
    const other = openDatabase(path);
    other.exec('BEGIN IMMEDIATE');
    const answers = await Promise.all([store.commit(insertOf('1')), store.commit(insertOf('2'))]);
    for (const answer of answers) expect(answer._unsafeUnwrapErr()).toStrictEqual(unavailable);
    expect(begun.runs).toBe(3);
    expect(String(errors)).toBe(
      'Error: Another connection held the write lock of the database for too long: commits were not applied',
    );
    other.exec('COMMIT');
    expect((await store.commit(insertOf('1'))).isOk()).toBe(true);
    // The next ones have attempts of their own.
    other.exec('BEGIN IMMEDIATE');
    expect((await store.commit(insertOf('2'))).isErr()).toBe(true);
    expect(begun.runs).toBe(3 + 1 + 3);
  });
});
