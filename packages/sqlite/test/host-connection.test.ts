import { setTimeout as delay } from 'node:timers/promises';
import { aPayment } from '@chairside/testkit';
import BetterSqlite3, { type Database } from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openSqliteStore, type SqliteStoreOptions } from '../src/index.ts';
import { insertOf, newPath } from './helpers.ts';

/** A host's database with a usual setup. */
function openHost(path = newPath()): Database {
  const host = new BetterSqlite3(path, { timeout: 5000 });
  host.pragma('journal_mode = WAL');
  onTestFinished(() => void host.close());
  return host;
}

function openOn(host: Database, options?: SqliteStoreOptions) {
  const store = openSqliteStore(host, options)._unsafeUnwrap();
  onTestFinished(() => store.close());
  return store;
}

const settings = ['busy_timeout', 'synchronous', 'fullfsync', 'journal_mode', 'temp_store'];
const settingsOf = (host: Database) => [
  ...settings.map((name) => host.pragma(name, { simple: true })),
  host.pragma('wal_autocheckpoint', { simple: true }),
];
const notApplied = { kind: 'storeUnavailable', outcome: 'notApplied' };

describe("a host's connection", () => {
  it('is left unchanged and open (D90)', async () => {
    const host = openHost();
    host.exec('CREATE TABLE payments (mine TEXT)');
    const before = settingsOf(host);
    expect(before[0]).toBe(5000);
    const store = openSqliteStore(host)._unsafeUnwrap();
    expect(settingsOf(host)).toStrictEqual(before);
    expect((await store.commit(insertOf('cpm_1'))).isOk()).toBe(true);
    await store.close();
    expect(settingsOf(host)).toStrictEqual(before);
    expect(host.open).toBe(true);
    expect(host.prepare('SELECT count(*) AS n FROM chairside_payments').get()).toEqual({ n: 1 });
    expect((await store.payments.get('cpm_1'))._unsafeUnwrapErr()).toStrictEqual(notApplied);
  });

  it.each([
    ['in another journal mode', 'journal_mode = DELETE', "run db.pragma('journal_mode = WAL')"],
    ['that flushes nothing', 'synchronous = OFF', "run db.pragma('synchronous = NORMAL')"],
  ])('%s is refused, with the remedy', (_, pragma, advice) => {
    const host = openHost();
    host.pragma(pragma);
    const error = openSqliteStore(host)._unsafeUnwrapErr();
    expect(error.reason).toBe('unsuitable');
    expect(error.message).toContain(advice);
    expect(host.prepare('SELECT count(*) AS n FROM sqlite_schema').get()).toEqual({ n: 0 });
  });

  it('that is in memory, closed or read-only is refused', () => {
    const memory = new BetterSqlite3(':memory:');
    expect(openSqliteStore(memory)._unsafeUnwrapErr().message).toContain("pass ':memory:' instead");
    memory.close();
    expect(openSqliteStore(memory)._unsafeUnwrapErr().reason).toBe('unsuitable');
    const path = openHost().name;
    const reading = new BetterSqlite3(path, { readonly: true });
    expect(openSqliteStore(reading)._unsafeUnwrapErr().reason).toBe('unwritable');
    reading.close();
  });

  it('that a host closes, or changes later, does not matter', async () => {
    const host = openHost();
    const store = openOn(host);
    host.pragma('synchronous = OFF');
    host.pragma('query_only = ON');
    host.pragma('busy_timeout = 0');
    host.defaultSafeIntegers();
    expect((await store.commit(insertOf('1'))).isOk()).toBe(true);
    host.close();
    expect((await store.commit(insertOf('2'))).isOk()).toBe(true);
    expect((await store.payments.get('1'))._unsafeUnwrap()).toStrictEqual(aPayment({ id: '1' }));
  });

  it('with a table that hides ours, or an open cursor, does not disturb', async () => {
    const host = openHost();
    const store = openOn(host);
    host.exec('CREATE TEMP TABLE chairside_payments (id TEXT)');
    const cursor = host.prepare('SELECT name FROM main.sqlite_schema').iterate();
    cursor.next();
    expect((await store.commit(insertOf('1'))).isOk()).toBe(true);
    expect((await store.payments.get('1'))._unsafeUnwrap()?.id).toBe('1');
    cursor.return?.();
  });
});

describe("a host's open transaction", () => {
  it('that only reads blocks no other reads or writes', async () => {
    const host = openHost();
    const store = openOn(host);
    host.exec('BEGIN; SELECT count(*) FROM chairside_payments');
    expect((await store.commit(insertOf('1'))).isOk()).toBe(true);
    expect((await store.payments.get('1'))._unsafeUnwrap()?.id).toBe('1');
    host.exec('ROLLBACK');
    expect((await store.payments.get('1'))._unsafeUnwrap()?.id).toBe('1');
  });

  it('that writes is waited for', async () => {
    const host = openHost();
    const store = openOn(host);
    host.exec('BEGIN IMMEDIATE');
    const committed = store.commit(insertOf('1'));
    await delay(100);
    host.exec('COMMIT');
    expect((await committed).isOk()).toBe(true);
  });

  it('that keeps writing makes commits notApplied, with the reason; reads stay correct', async () => {
    const host = openHost();
    const errors: unknown[] = [];
    const store = openOn(host, { maxBusyAttempts: 3, onError: (error) => errors.push(error) });
    host.exec("BEGIN IMMEDIATE; INSERT INTO chairside_commits (id, at) VALUES ('theirs', 1)");
    expect((await store.commit(insertOf('1')))._unsafeUnwrapErr()).toStrictEqual(notApplied);
    expect(String(errors)).toContain('Another connection held the write lock');
    expect((await store.payments.get('1'))._unsafeUnwrap()).toBeUndefined();
    // Denying a commit is a write too.
    expect((await store.wasCommitted('theirs'))._unsafeUnwrapErr()).toStrictEqual(notApplied);
    host.exec('ROLLBACK');
    expect((await store.wasCommitted('theirs'))._unsafeUnwrap()).toBe(false);
    expect((await store.commit(insertOf('1'))).isOk()).toBe(true);
  });
});
