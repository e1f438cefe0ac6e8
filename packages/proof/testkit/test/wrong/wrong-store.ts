import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Change, ChangeKind, ChangeOf, Commit, Store } from '@chairside/core';
import { err, ResultAsync } from '@chairside/core';
import type { StoreUnderTest } from '../../src/contracts.ts';
import { applyChange } from '../../src/store/map/changes.ts';
import { createMapDatabase, type MapDatabase } from '../../src/store/map/database.ts';
import { connectTo, createMapStore } from '../../src/store/map/map-store.ts';
import { snapshotOf, type Tables } from '../../src/store/map/tables.ts';
import { applyBlindly } from './apply-blindly.ts';

/** An adapter with one fault, and the case of the contract that must fail over it. */
export interface WrongStore {
  readonly fault: string;
  readonly caughtBy: string;
  readonly open: () => StoreUnderTest;
}

/** Two nodes on one database in memory. */
export function underTest(
  database: MapDatabase,
  connect: (database: MapDatabase) => Store,
): StoreUnderTest {
  return {
    store: connect(database),
    second: async () => connect(database),
    inMemory: 'a Map ends with its process',
  };
}

/** One kind of change does something else. */
export function changing<Kind extends ChangeKind>(
  kind: Kind,
  wrongly: (tables: Tables, change: ChangeOf<Kind>) => boolean,
): () => StoreUnderTest {
  const isMeant = (change: Change): change is ChangeOf<Kind> => change.kind === kind;
  return () =>
    underTest(
      createMapDatabase(undefined, (tables, change) =>
        isMeant(change) ? wrongly(tables, change) : applyChange(tables, change),
      ),
      connectTo,
    );
}

/** Some members of the store do something else. */
export function wrapping(
  wrongly: (store: Store, database: MapDatabase) => Partial<Store>,
): () => StoreUnderTest {
  return () =>
    underTest(createMapDatabase(), (database) => {
      const store = connectTo(database);
      return { ...store, ...wrongly(store, database) };
    });
}

/**
 * The condition is checked by a read, and the change is written later without it.
 * @param isHealedInGroups commits that are sent together are also checked when they are written
 */
export function checkedBefore(
  kinds: readonly ChangeKind[],
  isHealedInGroups = false,
): () => StoreUnderTest {
  return () => {
    let isChecked = false;
    const isMeant = (change: Change) => kinds.includes(change.kind);
    const database = createMapDatabase(undefined, (tables, change) =>
      isMeant(change) && !isChecked ? applyBlindly(tables, change) : applyChange(tables, change),
    );
    return underTest(database, (shared) => {
      const store = connectTo(shared);
      let ofThisTurn = 0;
      const writtenInGroup = (given: Commit) => {
        isChecked = true;
        const answer = store.commit(given);
        isChecked = false;
        return answer;
      };
      const commit = async (given: Commit) => {
        if (!given.changes.some(isMeant)) return store.commit(given);
        const checking = createMapStore({ from: snapshotOf(shared.tables) }).commit(given);
        ofThisTurn += 1;
        await Promise.resolve();
        const isGrouped = ofThisTurn > 1;
        queueMicrotask(() => {
          ofThisTurn = 0;
        });
        if (isHealedInGroups && isGrouped) return writtenInGroup(given);
        const checked = await checking;
        if (checked.isErr()) return err(checked.error);
        await nextTurn();
        return store.commit(given);
      };
      return { ...store, commit: (given) => new ResultAsync(commit(given)) };
    });
  };
}
