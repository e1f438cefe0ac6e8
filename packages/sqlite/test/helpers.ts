import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Change, Commit, Payment, Store } from '@chairside/core';
import { aPayment, someTime } from '@chairside/testkit';
import type { Held } from '@chairside/testkit/contracts';
import BetterSqlite3, { type Database } from 'better-sqlite3';
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

/** The store closes the connection that a test has prepared. */
export function openStore(on: string | Database, options?: StoreOptions): Store {
  const opened = typeof on === 'string' ? openSqliteStore(on, options) : openStoreOn(on, options);
  return opened._unsafeUnwrap();
}

export function openDatabase(path: string = newPath()): Database {
  return new BetterSqlite3(path);
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
      if (source !== 'SELECT * FROM chairside_payments WHERE id = ?') return statement;
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
