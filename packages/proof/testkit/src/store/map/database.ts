import { err, ok, type Result } from '@chairside/core';
import type { Change, Commit, StoreConflict, StoreUnavailable } from '@chairside/core/ports';
import { applyChange } from './changes.ts';
import { createTables, type MapStoreSnapshot, restore, type Tables } from './tables.ts';

const notApplied: StoreUnavailable = { kind: 'storeUnavailable', outcome: 'notApplied' };

/** The records of one or more stores in memory. */
export interface MapDatabase {
  readonly tables: Tables;
  /** Applies all changes, or none. */
  write(commit: Commit): Result<void, StoreConflict | StoreUnavailable>;
  /** Denies the commit with this id, unless it is written. Returns whether it is written. */
  deny(id: string): boolean;
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
  /** The time of the latest commit. */
  let latest = 0;
  for (const table of Object.values(tables)) table.onChange((revert) => undo.push(revert));

  return {
    tables,
    write({ id, at, changes }) {
      undo = [];
      latest = Math.max(latest, at);
      if (!tables.commits.insert(id, { id, at })) {
        return tables.commits.get(id)?.isDenied === true ? err(notApplied) : ok();
      }
      const failed = changes.find((change) => !apply(tables, change));
      if (failed === undefined) return ok();
      for (const revert of undo.reverse()) revert();
      return err({ kind: 'storeConflict', change: failed.kind });
    },
    deny(id) {
      tables.commits.insert(id, { id, at: latest, isDenied: true });
      return tables.commits.get(id)?.isDenied !== true;
    },
  };
}
