import { statSync } from 'node:fs';
import { err, ok, type Result } from '@chairside/core';
import type { Database } from 'better-sqlite3';
import { connectLike, fileOf } from './connect.ts';
import type { Failure } from './open-failure.ts';
import { unsafePlace } from './place.ts';

/** The identity of the database, its `-wal` and its `-shm` at opening. Empty for a database in memory. */
export type Ground = readonly {
  readonly path: string;
  readonly dev: bigint;
  readonly ino: bigint;
}[];

/** The reason why the next start may not find what is written now. */
export type GroundFault =
  /** The file at this path is gone, or is another one. */
  | { readonly lost: string }
  /** A file could not be looked at this time. */
  | { readonly lost?: undefined; readonly error: unknown };

/**
 * The files under an open store. SQLite goes on writing to files that were deleted, moved or replaced, and
 * reports nothing. The next start opens the files that have the paths then, without those writes (D205).
 */
export interface Footing {
  readonly ground: Ground;
  readonly look: () => GroundFault | undefined;
  /** Closes the store's connection without a checkpoint, because a file is lost. */
  readonly abandon: () => void;
  /** Closes what is open, after the checkpoint thread. */
  readonly close: () => void;
}

/**
 * @param path the path that the next start opens. Default: as SQLite resolved it.
 * Throws SQLite's errors and those of the file system.
 */
export function standOn(
  db: Database,
  timeout: number,
  path: string | undefined,
): Result<Footing, Failure> {
  const file = fileOf(db);
  const abandon = () => void db.close();
  if (file === '') return ok({ ground: [], look: () => undefined, abandon, close: abandon });
  // The last connection to close copies the WAL into the database and deletes it. From lost files that would
  // overwrite the commits of others. The keeper only reads, so it does neither, and it closes after the store's
  // connection if a file is lost.
  const keeper = connectLike(db, file, { readonly: true, timeout });
  keeper?.prepare('SELECT 1 FROM sqlite_schema').get();
  const paths = [path ?? file, `${file}-wal`, `${file}-shm`];
  const ground = paths.map((one) => {
    const { dev, ino } = statSync(one, { bigint: true });
    return { path: one, dev, ino };
  });
  const look = () => lookAt(ground);
  const why =
    look() === undefined
      ? unsafePlace(file)
      : `the file system gave another device or inode of ${paths.join(', ')} at a second look`;
  if (why !== undefined) {
    keeper?.close();
    return err({ reason: 'unsuitable', why });
  }
  return ok({
    ground,
    look,
    abandon,
    close() {
      if (look() === undefined) keeper?.close();
      db.close();
      keeper?.close();
    },
  });
}

function lookAt(ground: Ground): GroundFault | undefined {
  try {
    for (const { path, dev, ino } of ground) {
      const now = statSync(path, { bigint: true, throwIfNoEntry: false });
      if (now?.ino !== ino || now.dev !== dev) return { lost: path };
    }
    return undefined;
  } catch (error) {
    return { error };
  }
}
