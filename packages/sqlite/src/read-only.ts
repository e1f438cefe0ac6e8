import { err, errAsync, ok, Result } from '@chairside/core';
import { type StoreUnavailable, tell } from '@chairside/core/ports';
import BetterSqlite3, { type Database } from 'better-sqlite3';
import { checkRuntime, nextPath } from './connect.ts';
import { explained } from './fault.ts';
import { stateOf } from './migrate.ts';
import { openError, type SqliteOpenError, type SqliteStore } from './open.ts';
import { type Failure, failureOf } from './open-failure.ts';
import { unsafePlace } from './place.ts';
import { createReadQueue } from './read-queue.ts';
import { createReads, type SqliteStoreOptions } from './store.ts';

const readOnly: StoreUnavailable = {
  kind: 'storeUnavailable',
  outcome: 'notApplied',
  cause: new Error('The file was opened for reading only'),
};

/**
 * Opens an existing file to look at it, also while a process uses it. Nothing is created, migrated or
 * locked, and every commit is refused as `notApplied`.
 */
export function readSqliteStore(
  path: string,
  { onError, maxBusyAttempts = 60 }: Pick<SqliteStoreOptions, 'onError' | 'maxBusyAttempts'> = {},
): Result<SqliteStore, SqliteOpenError> {
  const report = (error: unknown) => tell(onError, explained(error));
  // A backup may lie anywhere. A database in use may lack here what its -wal holds elsewhere.
  const unsafe = unsafePlace(nextPath(path));
  if (unsafe !== undefined) tell(onError, new Error(`${path}: ${unsafe}`));
  return checkRuntime(process.versions.node)
    .andThen(() => Result.fromThrowable(openFile, failureOf)(path))
    .andThen((opened) => opened)
    .map((db) => createReadOnly(db, maxBusyAttempts, report))
    .mapErr((failure) => openError(path, failure));
}

/** Throws SQLite's errors. */
function openFile(path: string): Result<Database, Failure> {
  if (path.trim() === '') return err({ reason: 'missingFolder', why: 'no path was given' });
  const db = new BetterSqlite3(path, { readonly: true, fileMustExist: true });
  const state = stateOf(db);
  if (state.kind === 'current') return ok(db);
  db.close();
  if (state.kind === 'refused') return err(state);
  const why =
    state.version === 0
      ? 'it holds no records of Chairside'
      : `its schema has only ${state.version} migrations; a process that serves payments brings it up to date`;
  return err({ reason: 'unsuitable', why });
}

function createReadOnly(
  db: Database,
  maxBusyAttempts: number,
  report: (error: unknown) => void,
): SqliteStore {
  const reads = createReadQueue(db, maxBusyAttempts, { isReadable: () => db.open, error: report });
  const { about, ...others } = createReads(
    db,
    (find) => (db.open ? reads.add(find) : errAsync(readOnly)),
    report,
  );
  return {
    ...others,
    // The file keeps its journal mode alone: the other settings belong to the connection of whoever writes it.
    about: () =>
      about().map(({ product, schemaVersion, settings }) => ({
        product,
        schemaVersion,
        settings: { journal_mode: settings['journal_mode'] ?? 'unknown' },
      })),
    commit: () => errAsync(readOnly),
    wasCommitted: () => errAsync(readOnly),
    async close() {
      await reads.settled();
      db.close();
    },
  };
}
