import type { Change, ChangeKind, ChangeOf, Store } from '@chairside/core/ports';
import type { StoreUnderTest } from '../../src/contracts.ts';
import { applyChange } from '../../src/store/map/changes.ts';
import { createMapDatabase, type MapDatabase } from '../../src/store/map/database.ts';
import { connectTo } from '../../src/store/map/map-store.ts';
import type { Tables } from '../../src/store/map/tables.ts';

/** An adapter with one fault, and the cases of the contract that must fail over it. */
export interface WrongStore {
  readonly fault: string;
  readonly caughtBy: readonly string[];
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
