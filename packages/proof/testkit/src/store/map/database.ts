import { err, ok, type Result } from '@chairside/core';
import type { Change, Commit, StoreConflict, StoreUnavailable } from '@chairside/core/ports';
import { applyChange } from './changes.ts';
import { createTables, type MapStoreSnapshot, restore, type Tables } from './tables.ts';

const notApplied: StoreUnavailable = { kind: 'storeUnavailable', outcome: 'notApplied' };

export type MapDatabase = ReturnType<typeof createMapDatabase>;

/**
 * The records of one or more stores in memory.
 * @param apply applies one change; says whether its condition held.
 */
export function createMapDatabase(
  from?: MapStoreSnapshot,
  apply: (tables: Tables, change: Change) => boolean = applyChange,
) {
  const tables = createTables();
  if (from !== undefined) restore(tables, from);
  /** Run in reverse order when a later change of the same commit meets a conflict. */
  let undo: (() => void)[] = [];
  /** The time of the latest commit. */
  let latest = 0;
  for (const table of Object.values(tables)) table.onChange((revert) => undo.push(revert));

  return {
    tables,
    /** Applies all changes, or none. */
    write({ id, at, changes }: Commit): Result<void, StoreConflict | StoreUnavailable> {
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
    /** Denies the commit with this id, unless it is written. Returns whether it is written. */
    deny(id: string): boolean {
      tables.commits.insert(id, { id, at: latest, isDenied: true });
      return tables.commits.get(id)?.isDenied !== true;
    },
  };
}
