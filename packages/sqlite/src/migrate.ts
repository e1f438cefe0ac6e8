import { minuteMs, secondMs } from '@chairside/core';
import { appliedOf, judgeSchema, type Migration, type SchemaState } from '@chairside/core/storage';
import type { Database } from 'better-sqlite3';
import { isBusy, sqliteCode } from './fault.ts';
import { initial } from './migrations/0001-initial.ts';

/** In order, from version 1. A released migration is never edited. */
const migrations: readonly Migration[] = [{ text: initial, oldestVersion: 1 }];

/** How long opening waits for another process that upgrades the schema. It blocks the event loop. */
const migrationWaitMs = 10 * minuteMs;
const largeBytes = 100_000_000;

export interface Migrating {
  readonly known?: readonly Migration[];
  /** How long to wait for the write lock, if steps are missing. */
  readonly waitMs?: number | undefined;
  /** Waiting is told this often. */
  readonly tellEveryMs?: number;
  /** Receives the progress, for a person. */
  readonly tell?: (progress: Error) => void;
}

/**
 * Brings the schema up to date, with one transaction for each step. A step is one call of SQLite, so it tells
 * its progress before and after. Throws SQLite's errors.
 * @returns the state of the schema after that. A refused schema is unchanged.
 */
export function migrate(
  db: Database,
  {
    known = migrations,
    waitMs = migrationWaitMs,
    tellEveryMs = 10 * secondMs,
    tell = () => undefined,
  }: Migrating = {},
): SchemaState {
  const step = db.transaction((after: number): SchemaState => {
    // Another process may have applied it between the check above and this lock.
    const state = stateOf(db, known);
    const migration = known[after];
    if (state.kind !== 'behind' || state.version !== after || migration === undefined) return state;
    if (after === 0) {
      db.exec(`CREATE TABLE chairside_migrations (
        version INTEGER PRIMARY KEY, hash TEXT NOT NULL, oldest_version INTEGER NOT NULL
      ) STRICT`);
    }
    const bytes = sizeOf(db);
    const step = `Migration ${after + 1} of ${known.length}`;
    if (bytes >= largeBytes) {
      const size = `${Math.ceil(bytes / 1_000_000)} MB`;
      tell(new Error(`${step} begins on ${size}: it blocks this process, and others wait for it`));
    }
    const begunAt = performance.now();
    db.exec(migration.text);
    db.prepare(`INSERT INTO chairside_migrations (version, hash, oldest_version)
      VALUES (:version, :hash, :oldest_version)`).run(appliedOf(after + 1, migration));
    if (bytes >= largeBytes) {
      const seconds = ((performance.now() - begunAt) / secondMs).toFixed(1);
      tell(new Error(`${step} has run for ${seconds} s, and is committed now`));
    }
    return stateOf(db, known);
  });

  function takeStep(after: number): SchemaState {
    const endsAt = performance.now() + waitMs;
    for (;;) {
      const leftMs = Math.max(0, endsAt - performance.now());
      db.pragma(`busy_timeout = ${Math.ceil(Math.min(leftMs, tellEveryMs))}`);
      try {
        return step.immediate(after);
      } catch (error) {
        if (!isBusy(error) || db.inTransaction) throw error;
        const why = `another process holds the write lock, probably to upgrade the schema. It has ${after} of ${known.length} migrations`;
        const waitedMs = waitMs - Math.max(0, endsAt - performance.now());
        const seconds = Math.round(waitedMs / secondMs);
        if (waitedMs >= waitMs)
          throw locked(`${why}. Opening waited ${seconds} s; open it again later`, error);
        tell(new Error(`Opening has waited ${seconds} s: ${why}`));
      }
    }
  }

  let state = stateOf(db, known);
  while (state.kind === 'behind') state = takeStep(state.version);
  return state;
}

/** The same error of SQLite, in words that a person can use. */
function locked(why: string, cause: unknown): Error {
  return Object.assign(new Error(why, { cause }), { code: sqliteCode(cause) });
}

function sizeOf(db: Database): number {
  const read = (name: string) => Number(db.pragma(name, { simple: true }));
  return read('page_count') * read('page_size');
}

/** Only reads. */
export function stateOf(db: Database, known: readonly Migration[] = migrations): SchemaState {
  const table = db
    .prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'chairside_migrations'")
    .get();
  if (table === undefined) return judgeSchema(known, []);
  const rows = db.prepare<[], Readonly<Record<string, unknown>>>(
    'SELECT * FROM chairside_migrations',
  );
  return judgeSchema(known, rows.all());
}
