import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Change, Commit, Payment, Store } from '@chairside/core/ports';
import { aPayment, someTime } from '@chairside/testkit';
import type { Held, StoreHarness } from '@chairside/testkit/contracts';
import BetterSqlite3, { type Database } from 'better-sqlite3';
import { onTestFinished } from 'vitest';
import { openSqliteStore } from '../src/index.ts';
import { openStoreOn } from '../src/open.ts';
import type { StoreOptions } from '../src/store.ts';

const folder = mkdtempSync(join(tmpdir(), 'chairside-'));
let files = 0;

/** A path in a folder that is deleted when the test run ends. */
export function newPath(): string {
  files += 1;
  return join(folder, `${files}.db`);
}

/** Closed with its test. The store closes the connection that a test has prepared. */
export function openStore(on: string | Database, options?: StoreOptions): Store {
  const opened = typeof on === 'string' ? openSqliteStore(on, options) : openStoreOn(on, options);
  const store = opened._unsafeUnwrap();
  onTestFinished(() => store.close());
  return store;
}

/** The same, with the errors that it reports. */
export function openNoting(on: string | Database, options?: StoreOptions) {
  const errors: unknown[] = [];
  const store = openStore(on, { ...options, onError: (error) => errors.push(error) });
  return { store, errors };
}

/** Closed with its test. */
export function openDatabase(path: string = newPath()): Database {
  const db = new BetterSqlite3(path);
  onTestFinished(() => void db.close());
  return db;
}

export function commitOf(id: string, ...changes: readonly Change[]): Commit {
  return { id, at: someTime, changes };
}

export function insertOf(id: string, over: Partial<Payment> = {}): Commit {
  return commitOf(id, { kind: 'insertPayment', payment: aPayment({ id, ...over }) });
}

export interface Watch {
  runs: number;
  /** The error that the statement throws instead of running. */
  error: Error | undefined;
}

/** Counts the runs of the statement with this text, and may make it fail. Call before opening. */
export function watchStatement(db: Database, text: string): Watch {
  const watch: Watch = { runs: 0, error: undefined };
  const prepare = db.prepare.bind(db);
  db.prepare = new Proxy(db.prepare, {
    apply(_, __, [source]) {
      const statement = prepare<[]>(source);
      if (source !== text) return statement;
      const run = statement.run.bind(statement);
      statement.run = () => {
        watch.runs += 1;
        if (watch.error !== undefined) throw watch.error;
        return run();
      };
      return statement;
    },
  });
  return watch;
}

/** Fails the reads of payments so many times as SQLite does while another connection locks the file. */
export function lockPayments(db: Database, times: number): Pick<Watch, 'runs'> {
  const watch = { runs: 0 };
  const prepare = db.prepare.bind(db);
  db.prepare = new Proxy(db.prepare, {
    apply(_, __, [source]) {
      const statement = prepare(source);
      if (source !== 'SELECT * FROM chairside_payments WHERE id = +?') return statement;
      const get = statement.get.bind(statement);
      statement.get = (...params) => {
        watch.runs += 1;
        if (watch.runs > times) return get(...params);
        throw Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY_RECOVERY' });
      };
      return statement;
    },
  });
  return watch;
}

/** A connection whose disk may fail. */
export interface FailingDisk {
  readonly db: Database;
  readonly failFlush: NonNullable<StoreHarness['failFlush']>;
  /** Opens the file as such a disk has kept it. */
  readonly reopen: () => Store;
}

/**
 * The next COMMIT that SQLite would flush fails after it was carried out, as it does if fsync fails.
 * Reopening takes back the changes that the disk has lost.
 */
export function openFailingDisk(path: string): FailingDisk {
  const db = openDatabase(path);
  const files = [path, `${path}-wal`];
  let planned: { readonly isKept: boolean } | undefined;
  let lost: ReadonlyMap<string, Buffer> | undefined;
  const prepare = db.prepare.bind(db);
  const flushes = () => Number(db.pragma('synchronous', { simple: true })) >= 2;
  db.prepare = new Proxy(db.prepare, {
    apply(_, __, [source]) {
      const statement = prepare<[]>(source);
      if (source !== 'COMMIT') return statement;
      const run = statement.run.bind(statement);
      statement.run = () => {
        if (planned === undefined || !flushes()) return run();
        const { isKept } = planned;
        planned = undefined;
        if (!isKept) lost ??= new Map(files.map((file) => [file, readFileSync(file)]));
        run();
        throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_FSYNC' });
      };
      return statement;
    },
  });
  return {
    db,
    failFlush: async (isKept) => {
      planned = { isKept };
      return async () => {
        const hasStruck = planned === undefined;
        planned = undefined;
        return hasStruck;
      };
    },
    reopen: () => {
      if (lost !== undefined) rmSync(`${path}-shm`, { force: true });
      for (const [file, bytes] of lost ?? []) writeFileSync(file, bytes);
      return openStore(path);
    },
  };
}

/** Another connection takes the write lock. A commit that meets it tries again after a few milliseconds. */
export async function holdFile(path: string): Promise<Held> {
  const other = openDatabase(path);
  other.exec('BEGIN IMMEDIATE');
  return {
    waitedFor: () => delay(20),
    release: async () => {
      other.close();
    },
  };
}
