import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readSqliteStore } from '../src/index.ts';
import { insertOf, newPath, openDatabase, openStore } from './helpers.ts';

describe('a file that is read only', () => {
  it('shows what another process has committed, and goes on doing so', async () => {
    const path = newPath();
    const writer = openStore(path);
    expect((await writer.commit(insertOf('cpm_1'))).isOk()).toBe(true);
    const reader = readSqliteStore(path)._unsafeUnwrap();
    expect((await reader.payments.get('cpm_1'))._unsafeUnwrap()?.id).toBe('cpm_1');
    expect((await writer.commit(insertOf('cpm_2'))).isOk()).toBe(true);
    expect((await reader.payments.get('cpm_2'))._unsafeUnwrap()?.id).toBe('cpm_2');
    await writer.close();
    await reader.close();
    expect((await reader.payments.get('cpm_1')).isErr()).toBe(true);
  });

  it('is not written to', async () => {
    const path = newPath();
    await openStore(path).close();
    const before = readFileSync(path);
    const reader = readSqliteStore(path)._unsafeUnwrap();
    const refused = (await reader.commit(insertOf('cpm_1')))._unsafeUnwrapErr();
    expect(refused).toMatchObject({ kind: 'storeUnavailable', outcome: 'notApplied' });
    expect((await reader.wasCommitted('cpm_1')).isErr()).toBe(true);
    expect((await reader.about?.())?._unsafeUnwrap().schemaVersion).toBeGreaterThan(0);
    await reader.close();
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it('is not created, and not made a database', () => {
    const missing = newPath();
    expect(readSqliteStore(missing)._unsafeUnwrapErr().message).toContain(missing);
    expect(existsSync(missing)).toBe(false);

    const other = newPath();
    openDatabase(other).exec('CREATE TABLE mine (id)');
    const { reason, message } = readSqliteStore(other)._unsafeUnwrapErr();
    expect([reason, message]).toEqual(['unsuitable', `${other}: it holds no records of Chairside`]);

    const text = newPath();
    writeFileSync(text, 'This is a letter, and by no means a database.');
    expect(readSqliteStore(text)._unsafeUnwrapErr().reason).toBe('notADatabase');
    expect(readSqliteStore('')._unsafeUnwrapErr().reason).toBe('missingFolder');
  });

  it.skipIf(process.platform === 'win32')('may belong to somebody else', async () => {
    const path = newPath();
    await openStore(path).close();
    chmodSync(path, 0o400);
    const reader = readSqliteStore(path)._unsafeUnwrap();
    expect((await reader.payments.get('cpm_1'))._unsafeUnwrap()).toBeUndefined();
  });
});

describe('an open store', () => {
  it('tells its version, its schema and its durable settings', async () => {
    const store = openStore(newPath());
    const about = (await store.about?.())?._unsafeUnwrap();
    expect(about).toEqual({
      product: expect.stringMatching(/^SQLite 3\.\d+/),
      schemaVersion: 1,
      settings: { journal_mode: 'wal', synchronous: 'FULL', fullfsync: 'on' },
    });
  });
});
