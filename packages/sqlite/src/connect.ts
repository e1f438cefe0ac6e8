import { err, ok, Result } from '@chairside/core';
import BetterSqlite3, { type Database } from 'better-sqlite3';
import { createOwnersFile } from './new-file.ts';
import { type Failure, failureOf } from './open-failure.ts';

/** Opens a connection to a file, which is created for its owner alone if it is new. */
export function connectTo(path: string): Result<Database, Failure> {
  // SQLite takes an empty path for a temporary database, and would forget every payment.
  if (path.trim() === '') return err({ reason: 'missingFolder', why: 'no path was given' });
  return Result.fromThrowable(() => {
    createOwnersFile(path);
    return new BetterSqlite3(path);
  }, failureOf)();
}

/**
 * Opens a second connection to the file of a host's database. The host's connection stays as it is,
 * and its transactions, time-outs and cursors do not meet ours (D90).
 */
export function connectBeside(host: Database): Result<Database, Failure> {
  return Result.fromThrowable(openBeside, failureOf)(host).andThen((result) => result);
}

/** Throws what SQLite throws. */
function openBeside(host: Database): Result<Database, Failure> {
  if (!host.open) return unsuitable('it is closed');
  if (host.readonly) return err({ reason: 'unwritable', why: 'it was opened for reading only' });
  const path = fileOf(host);
  if (path === '') {
    return unsuitable("only its own connection sees a database in memory; pass ':memory:' instead");
  }
  if (host.pragma('journal_mode', { simple: true }) !== 'wal') {
    return unsuitable("it needs a write-ahead log; run db.pragma('journal_mode = WAL') first");
  }
  if (Number(host.pragma('synchronous', { simple: true })) === 0) {
    return unsuitable(
      "its checkpoints could lose payments in a power cut; run db.pragma('synchronous = NORMAL') first",
    );
  }
  // Another copy of SQLite in this process would drop the file's locks as it closes the file.
  const db: unknown = Reflect.construct(host.constructor, [path]);
  if (!isDatabase(db)) return unsuitable('it is not a database of better-sqlite3');
  db.pragma(`wal_autocheckpoint = ${host.pragma('wal_autocheckpoint', { simple: true })}`);
  return ok(db);
}

/** As SQLite resolved it: the working directory may have changed since. */
function fileOf(host: Database): string {
  const file = host.prepare("SELECT file FROM pragma_database_list WHERE name = 'main'");
  const path: unknown = file.pluck().get();
  return typeof path === 'string' ? path : '';
}

function isDatabase(value: unknown): value is Database {
  return typeof value === 'object' && value !== null && 'prepare' in value && 'pragma' in value;
}

function unsuitable(why: string): Result<never, Failure> {
  return err({ reason: 'unsuitable', why });
}
