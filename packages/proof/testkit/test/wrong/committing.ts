import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Commit, err, errAsync, ok, okAsync, ResultAsync, type Store } from '@chairside/core';
import { applyChange } from '../../src/store/map/changes.ts';
import { createMapDatabase, type MapDatabase } from '../../src/store/map/database.ts';
import { connectTo, createMapStore } from '../../src/store/map/map-store.ts';
import { snapshotOf } from '../../src/store/map/tables.ts';
import { applyBlindly } from './apply-blindly.ts';
import { underTest, type WrongStore, wrapping } from './wrong-store.ts';

type Answer = Awaited<ReturnType<Store['commit']>>;

/** The store commits by this function, one node at a time or not. */
const committing = (
  wrongly: (store: Store, commit: Commit, database: MapDatabase) => Promise<Answer>,
) =>
  wrapping((store, database) => ({
    commit: (commit) => new ResultAsync(wrongly(store, commit, database)),
  }));

/** A lock of the process is all that stands between a check and the write. */
function lockedInProcess(): ReturnType<typeof underTest> {
  const database = createMapDatabase(undefined, applyBlindly);
  return underTest(database, (shared) => {
    const store = connectTo(shared);
    let lock: Promise<unknown> = Promise.resolve();
    const commit = async (given: Commit): Promise<Answer> => {
      const checked = await createMapStore({ from: snapshotOf(shared.tables) }).commit(given);
      if (checked.isErr()) return err(checked.error);
      await nextTurn();
      return store.commit(given);
    };
    return {
      ...store,
      commit: (given) => {
        const turn = lock.then(() => commit(given));
        lock = turn;
        return new ResultAsync(turn);
      },
    };
  });
}

let serial = 0;
const anotherId = () => {
  serial += 1;
  return `another id ${serial}`;
};

export const storesThatCommitWrongly: readonly WrongStore[] = [
  {
    fault: 'holds conditions by a lock of the process',
    caughtBy: 'one comes first: a payment',
    open: lockedInProcess,
  },
  {
    fault: 'writes the id in a second transaction',
    caughtBy: 'sent many times at once, by two nodes where it has them, has one effect',
    open: committing(async (store, commit, { tables }) => {
      if (tables.commits.has(commit.id)) return ok();
      const answer = await store.commit({ ...commit, id: anotherId() });
      await nextTurn();
      if (answer.isOk()) await store.commit({ ...commit, changes: [] }).unwrapOr(undefined);
      return answer;
    }),
  },
  {
    fault: 'writes the id before the changes, in a transaction of its own',
    caughtBy: 'a commit that was refused may succeed later under its id',
    open: committing(async (store, commit, { tables }) => {
      if (tables.commits.has(commit.id)) return ok();
      await store.commit({ ...commit, changes: [] }).unwrapOr(undefined);
      return store.commit({ ...commit, id: anotherId() });
    }),
  },
  {
    fault: 'does not look for the id',
    caughtBy: 'a commit has one effect, even if it is repeated',
    open: committing(async (store, commit) => {
      const answer = await store.commit({ ...commit, id: anotherId() });
      if (answer.isOk()) await store.commit({ ...commit, changes: [] }).unwrapOr(undefined);
      return answer;
    }),
  },
  {
    fault: 'answers a re-sent id while the first is under way',
    caughtBy: 'is answered ok to no sender if it is refused',
    open: wrapping((store) => {
      const underWay = new Set<string>();
      const commit = async (given: Commit): Promise<Answer> => {
        if (underWay.has(given.id)) return ok();
        underWay.add(given.id);
        await nextTurn();
        const answer = await store.commit(given);
        underWay.delete(given.id);
        return answer;
      };
      return { commit: (given) => new ResultAsync(commit(given)) };
    }),
  },
  {
    fault: 'answers before it has written',
    caughtBy: 'keeps every field of a payment that is inserted',
    open: committing(async (store, commit, database) => {
      const checked = await createMapStore({ from: snapshotOf(database.tables) }).commit(commit);
      setTimeout(() => void store.commit(commit).unwrapOr(undefined), 2);
      return checked;
    }),
  },
  {
    fault: 'applies each change in a transaction of its own',
    caughtBy: 'refuses, and names, a payment whose id is taken',
    open: committing(async (store, commit, { tables }) => {
      if (tables.commits.has(commit.id)) return ok();
      for (const change of commit.changes) {
        const answer = await store.commit({ ...commit, id: anotherId(), changes: [change] });
        if (answer.isErr()) return answer;
      }
      return store.commit({ ...commit, changes: [] });
    }),
  },
  {
    fault: 'keeps what it applied before a refused change',
    caughtBy: 'refuses, and names, a payment whose id is taken',
    open: () =>
      underTest(createMapDatabase(), ({ tables }) => {
        const database: MapDatabase = {
          tables,
          deny: (id) => tables.commits.has(id),
          write: ({ id, at, changes }) => {
            if (tables.commits.has(id)) return ok();
            const failed = changes.find((change) => !applyChange(tables, change));
            if (failed !== undefined) return err({ kind: 'storeConflict', change: failed.kind });
            tables.commits.insert(id, { id, at });
            return ok();
          },
        };
        return connectTo(database);
      }),
  },
  {
    fault: 'remembers the id of a refused commit',
    caughtBy: 'a commit that was refused may succeed later under its id',
    open: committing(async (store, commit) => {
      const answer = await store.commit(commit);
      if (answer.isErr()) await store.commit({ ...commit, changes: [] }).unwrapOr(undefined);
      return answer;
    }),
  },
  {
    fault: 'does not remember a commit without changes',
    caughtBy: 'a commit without changes is remembered',
    open: committing(async (store, commit) => {
      return commit.changes.length === 0 ? ok() : store.commit(commit);
    }),
  },
  {
    fault: 'names the last change of a refused commit',
    caughtBy: 'names the first condition that failed',
    open: committing(async (store, commit) => {
      const answer = await store.commit(commit);
      if (answer.isOk() || answer.error.kind !== 'storeConflict') return answer;
      const { kind } = commit.changes.at(-1) ?? { kind: answer.error.change };
      return err({ kind: 'storeConflict', change: kind });
    }),
  },
  {
    fault: 'says unavailable where a condition failed',
    caughtBy: 'lets one of 100 writers of the same version win',
    open: committing(async (store, commit) => {
      const answer = await store.commit(commit);
      if (answer.isOk() || answer.error.kind !== 'storeConflict') return answer;
      return err({ kind: 'storeUnavailable', outcome: 'notApplied' });
    }),
  },
  {
    fault: 'forgets ids after a hundred commits',
    caughtBy: 'a commit is remembered for an hour, after any number of later ones',
    open: wrapping((store, { tables }) => {
      const kept: string[] = [];
      return {
        commit: (commit) => {
          kept.push(commit.id);
          const oldest = kept.length > 100 ? kept.shift() : undefined;
          if (oldest !== undefined) tables.commits.remove(oldest);
          return store.commit(commit);
        },
      };
    }),
  },
  {
    fault: 'has a wasCommitted that waits for nothing',
    caughtBy: 'does not call a commit not written that is under way and is then written',
    open: committing(async (store, commit) => {
      await nextTurn();
      return store.commit(commit);
    }),
  },
  {
    fault: 'denies a commit and writes it later',
    caughtBy: 'is final where it denies a commit: the same store',
    open: wrapping((_, { tables }) => ({
      wasCommitted: (id) => okAsync(tables.commits.has(id)),
    })),
  },
  {
    fault: 'remembers denials in the process',
    caughtBy: 'is final where it denies a commit: another node',
    open: wrapping((store, { tables }) => {
      const denied = new Set<string>();
      return {
        wasCommitted(id) {
          if (!tables.commits.has(id)) denied.add(id);
          return okAsync(tables.commits.has(id));
        },
        commit: (commit) =>
          denied.has(commit.id)
            ? errAsync({ kind: 'storeUnavailable', outcome: 'notApplied' })
            : store.commit(commit),
      };
    }),
  },
  {
    fault: 'keeps denials for ever',
    caughtBy: 'forgets denials as it forgets ids of commits',
    open: wrapping((store) => {
      const denied = new Set<string>();
      return {
        wasCommitted: (id) =>
          store.wasCommitted(id).andTee((isWritten) => {
            if (!isWritten) denied.add(id);
          }),
        commit: (commit) =>
          denied.has(commit.id)
            ? errAsync({ kind: 'storeUnavailable', outcome: 'notApplied' })
            : store.commit(commit),
      };
    }),
  },
  {
    fault: 'answers after it was closed',
    caughtBy: 'returns storeUnavailable after it was closed, and closes again',
    open: wrapping(() => ({ close: async () => {} })),
  },
  {
    fault: 'cuts ids of commits at 64 characters',
    caughtBy: 'length only: commits',
    open: committing(async (store, commit) =>
      store.commit({ ...commit, id: commit.id.slice(0, 64) }),
    ),
  },
];
