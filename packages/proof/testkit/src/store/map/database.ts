import {
  type Change,
  type Commit,
  err,
  ok,
  type Result,
  type StoreConflict,
} from '@chairside/core';
import { applyChange } from './changes.ts';
import { createTables, type MapStoreSnapshot, restore, type Tables } from './tables.ts';

/** The records of one or more stores in memory. */
export interface MapDatabase {
  readonly tables: Tables;
  /** Applies all changes, or none. */
  write(commit: Commit): Result<void, StoreConflict>;
}

/** @param apply applies one change; says whether its condition held. */
export function createMapDatabase(
  from?: MapStoreSnapshot,
  apply: (tables: Tables, change: Change) => boolean = applyChange,
): MapDatabase {
  const tables = createTables();
  if (from !== undefined) restore(tables, from);
  /** Run in reverse order when a later change of the same commit meets a conflict. */
  let undo: (() => void)[] = [];
  for (const table of Object.values(tables)) table.onChange((revert) => undo.push(revert));

  return {
    tables,
    write({ id, at, changes }) {
      undo = [];
      if (!tables.commits.insert(id, { id, at })) return ok();
      const failed = changes.find((change) => !apply(tables, change));
      if (failed === undefined) return ok();
      for (const revert of undo.reverse()) revert();
      return err({ kind: 'storeConflict', change: failed.kind });
    },
  };
}
