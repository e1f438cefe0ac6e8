import { closeSync, openSync } from 'node:fs';
import { resolve } from 'node:path';
import { err, ok, Result } from '@chairside/core';
import BetterSqlite3, { type Database, type Options } from 'better-sqlite3';
import { type Failure, failureOf } from './open-failure.ts';
import { unsafePlace } from './place.ts';

/** Opens a connection to a path, or a second one to the file of a host's database. */
export function connect(pathOrDatabase: string | Database): Result<Database, Failure> {
  if (typeof pathOrDatabase === 'string') return connectTo(pathOrDatabase);
  // Hosts without types may pass another value, such as a missing setting.
  const isGiven = typeof pathOrDatabase?.prepare === 'function';
  if (!isGiven) return noPath;
  return Result.fromThrowable(openBeside, failureOf)(pathOrDatabase).andThen((opened) => opened);
}

const noPath = err<never, Failure>({ reason: 'missingFolder', why: 'no path was given' });

/** The path that the next start opens, if it is a file's: links may lead to another file by then. */
export function nextPath(pathOrDatabase: string | Database): string | undefined {
  if (typeof pathOrDatabase !== 'string') return undefined;
  const file = pathOrDatabase.trim(); // as better-sqlite3 does
  return file === ':memory:' || file.startsWith('file:') ? undefined : resolve(file);
}

/** A new file is readable by its owner alone. */
function connectTo(path: string): Result<Database, Failure> {
  // For an empty path SQLite opens a temporary database, which would lose every payment.
  if (path.trim() === '') return noPath;
  // Before SQLite opens it: closing would copy a -wal that is not its own into it.
  const unsafe = unsafePlace(nextPath(path));
  if (unsafe !== undefined) return unsuitable(unsafe);
  const open = Result.fromThrowable(() => {
    // Loads the native module. Where that fails, no empty file is left behind.
    new BetterSqlite3(':memory:').close();
    createOwnersFile(path);
    return new BetterSqlite3(path);
  }, failureOf);
  return checkRuntime(process.versions.node).andThen(open);
}

/**
 * The host's connection, with its transactions, time-outs and cursors, stays separate (D90). Throws SQLite's
 * errors.
 */
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
  const db = connectLike(host, path);
  if (db === undefined) return unsuitable('it is not a database of better-sqlite3');
  db.pragma(`wal_autocheckpoint = ${host.pragma('wal_autocheckpoint', { simple: true })}`);
  return ok(db);
}

/**
 * Another connection, by the same copy of SQLite. A second copy in this process would drop the file's locks
 * when it closes the file. Throws SQLite's errors.
 */
export function connectLike(db: Database, path: string, options?: Options): Database | undefined {
  const other: unknown = Reflect.construct(db.constructor, [path, options]);
  return isDatabase(other) ? other : undefined;
}

/** The path that SQLite resolved, because the working directory may change. Empty for a database in memory. */
export function fileOf(host: Database): string {
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

/** Checks the version of Node before SQLite is loaded. */
export function checkRuntime(node: string): Result<void, Failure> {
  const [major = 0, minor = 0] = node.split('.').map(Number);
  // Without Node-API 10, loading better-sqlite3 ends the process with a segmentation fault.
  const hasNodeApi10 = major > 23 || (major === 23 && minor >= 6) || (major === 22 && minor >= 14);
  return hasNodeApi10
    ? ok()
    : err({
        reason: 'failed',
        why: `SQLite needs Node 22.14, 23.6 or later, and this is Node ${node}`,
      });
}

/**
 * Creates the file of a new database for its owner alone, because it will hold client secrets.
 * SQLite makes its files readable by every local user, but gives the files beside an existing one
 * the same rights. An existing file is not even opened: closing it would drop this process's locks
 * on it.
 */
function createOwnersFile(path: string): void {
  const file = nextPath(path);
  if (file === undefined) return;
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch {
    // It exists, or SQLite will report the problem.
  }
}
