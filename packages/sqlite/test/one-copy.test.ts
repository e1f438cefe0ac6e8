import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { insertOf, openDatabase, openStore } from './helpers.ts';

/** The files of better-sqlite3 that this process has loaded, in any thread. */
function copiesOfSqlite(): readonly string[] {
  const { sharedObjects } = process.report.getReport() as { sharedObjects: readonly string[] }; // cast: as Node documents it
  return [...new Set(sharedObjects)].filter((path) => /better-sqlite3.*\.node$/.test(path));
}

// With two copies in one process, each drops the file locks of the other.
it('the thread of the checkpoints loads the copy of SQLite that the store uses', async () => {
  const db = openDatabase();
  const store = openStore(db, { pace: { checkpointPages: 1 } });
  const counting = db.prepare<[], { checkpointed: number }>('PRAGMA wal_checkpoint(NOOP)');
  // The deadline of the test bounds the wait for the thread.
  for (let id = 0; (counting.get()?.checkpointed ?? 0) === 0; id += 1) {
    (await store.commit(insertOf(`cpm_${id}`)))._unsafeUnwrap();
    await nextTurn();
  }
  expect(copiesOfSqlite()).toHaveLength(1);
});
