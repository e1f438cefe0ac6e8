import { err, ok, Result, type Store } from '@chairside/core';
import type { Database } from 'better-sqlite3';
import { migrate } from './migrate.ts';
import { type Failure, failureOf } from './open-failure.ts';
import { defaultOpeningTimeoutMs, refusedPragma, setPragmas, shortenWait } from './pragmas.ts';
import { prepareStatements, type Statements } from './statements.ts';
import { createStore, type StoreOptions } from './store.ts';

export interface OpenOptions extends StoreOptions {
  readonly openingTimeoutMs?: number | undefined;
}

/** Opens the store on its own connection, which is closed with the store, or on an error. */
export function openStoreOn(db: Database, options: OpenOptions = {}): Result<Store, Failure> {
  return Result.fromThrowable(setUp, failureOf)(
    db,
    options.openingTimeoutMs ?? defaultOpeningTimeoutMs,
  )
    .andThen((statements) => statements)
    .map((statements) => createStore(db, statements, options))
    .mapErr((failure) => {
      db.close();
      return failure;
    });
}

/** Throws SQLite's errors. */
function setUp(db: Database, openingTimeoutMs: number): Result<Statements, Failure> {
  // Otherwise savepoints keep their undo log in a file, which costs a tenth of the speed.
  db.pragma('temp_store = MEMORY');
  setPragmas(db, openingTimeoutMs);
  if (!migrate(db)) return err({ reason: 'newerSchema', why: 'a later version wrote it' });
  const statements = prepareStatements(db);
  const refused = refusedPragma(db) ?? shortenWait(db);
  if (refused !== undefined) {
    return err({ reason: 'pragmaNotHonoured', why: `SQLite did not accept ${refused}` });
  }
  return ok(statements);
}
