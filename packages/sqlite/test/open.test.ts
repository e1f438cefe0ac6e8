import { randomUUID } from 'node:crypto';
import fs, {
  chmodSync,
  existsSync,
  mkdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openSqliteStore, readSqliteStore } from '../src/index.ts';
import { losesCommits, openStoreOn } from '../src/open.ts';
import { busyTimeoutMs } from '../src/pragmas.ts';
import { insertOf, newPath, openDatabase, openStore } from './helpers.ts';

describe('opens', () => {
  it('a file, new or not, so that it is durable', async () => {
    const path = newPath();
    for (const _ of ['new', 'in WAL mode already']) {
      const db = openDatabase(path);
      const store = openStore(db);
      expect((await store.commit(insertOf('cpm_1'))).isOk()).toBe(true);
      expect(db.pragma('journal_mode', { simple: true })).toBe('wal');
      expect(db.pragma('synchronous', { simple: true })).toBe(2);
      expect(db.pragma('fullfsync', { simple: true })).toBe(1);
      expect(db.pragma('busy_timeout', { simple: true })).toBe(busyTimeoutMs);
      await store.close();
      db.close();
    }
    expect(busyTimeoutMs).toBeLessThanOrEqual(100);
  });

  it('with undefined options as if they were omitted', async () => {
    const store = openStore(':memory:', { onError: undefined, maxBusyAttempts: undefined });
    expect((await store.commit(insertOf('cpm_1'))).isOk()).toBe(true);
  });

  it.skipIf(process.platform === 'win32')('a new file for its owner alone', async () => {
    const rights = (path: string) =>
      ['', '-wal', '-shm'].map((end) => (statSync(path + end).mode & 0o777).toString(8));
    const path = newPath();
    const store = openStore(path);
    expect((await store.commit(insertOf('cpm_1'))).isOk()).toBe(true);
    expect(rights(path)).toEqual(['600', '600', '600']);
    await store.close();

    // The host's own file mode stays.
    chmodSync(path, 0o640);
    const again = openStore(path);
    expect((await again.commit(insertOf('cpm_2'))).isOk()).toBe(true);
    expect(rights(path)).toEqual(['640', '640', '640']);
    await again.close();

    await openStore(':memory:').close();
    expect(existsSync(':memory:')).toBe(false);
  });

  it.each([
    ['3.6.23', false],
    ['3.7.0', true],
    ['3.44.5', true],
    ['3.44.6', false],
    ['3.45.3', true],
    ['3.49.2', true],
    ['3.50.6', true],
    ['3.50.7', false],
    ['3.51.2', true],
    ['3.51.3', false],
    ['3.52.0', false],
    ['3.53.3', false],
    ['4.0.0', false],
  ])('no file with a SQLite that loses commits: %s', (version, isRefused) => {
    expect(losesCommits(version)).toBe(isRefused);
  });

  it('no file of a host whose SQLite loses commits, and leaves it unchanged', async () => {
    const ofVersion = (path: string) => {
      const db = openDatabase(path);
      return db.function('sqlite_version', () => '3.51.2');
    };
    const path = newPath();
    const refused = openStoreOn(ofVersion(path))._unsafeUnwrapErr();
    expect(refused.reason).toBe('unsuitable');
    expect(refused.why).toMatch(/SQLite 3\.51\.2.*sqlite\.org\/wal\.html#the_wal_reset_bug/);
    const tables = openDatabase(path).prepare('SELECT count(*) FROM sqlite_schema').pluck().get();
    expect(tables).toBe(0);
    // A database in memory has no log.
    await openStoreOn(ofVersion(':memory:'))._unsafeUnwrap().close();
  });

  it.runIf(process.platform === 'linux').each([
    ['FUSE', 0x65735546, [expect.stringContaining('FUSE')]],
    ['9p', 0x01021997, [expect.stringContaining('9p')]],
    ['ext4', 0xef53, []],
    ['btrfs', 0x9123683e, []],
    ['tmpfs', 0x01021994, []],
    ['overlayfs', 0x794c7630, []],
  ])('a file on %s, and says what is doubtful', async (_, type, expected) => {
    onFileSystem(type);
    const told: string[] = [];
    await openStore(newPath(), { onError: (error) => told.push(String(error)) }).close();
    expect(told).toEqual(expected);
  });

  it('a connection with a stricter setting, and keeps that', () => {
    const db = openDatabase();
    db.pragma('synchronous = EXTRA');
    openStore(db);
    expect(db.pragma('synchronous', { simple: true })).toBe(3);
  });

  it('a database that is up to date, without writing to it', async () => {
    const path = newPath();
    await openStore(path).close();
    const db = openDatabase(path);
    const version = () => db.pragma('data_version', { simple: true });
    const before = version();
    await openStore(path).close();
    expect(version()).toBe(before);
    expect(db.prepare('SELECT version FROM chairside_migrations').pluck().all()).toEqual([1]);
  });

  it('a database that another process brings up to date in the same moment', async () => {
    const path = newPath();
    const db = openDatabase(path);
    const closed: Promise<void>[] = [];
    // After the check of the version, and before the lock.
    db.transaction = new Proxy(db.transaction, {
      apply(transaction, self, args) {
        closed.push(openStore(path).close());
        return Reflect.apply(transaction, self, args);
      },
    });
    const store = openStore(db);
    expect(closed).toHaveLength(1);
    expect((await store.commit(insertOf('cpm_1'))).isOk()).toBe(true);
    await Promise.all(closed);
  });
});

/** From now on the files are on this file system, by Linux's number. */
function onFileSystem(type: number): void {
  const found = { ...fs.statfsSync(tmpdir()), type };
  const asked = vi.spyOn(fs, 'statfsSync').mockReturnValue(found);
  syncBuiltinESMExports();
  onTestFinished(() => {
    asked.mockRestore();
    syncBuiltinESMExports();
  });
}

describe('returns an error for', () => {
  const reasonFor = (...args: Parameters<typeof openSqliteStore>) => {
    const error = openSqliteStore(...args)._unsafeUnwrapErr();
    expect(error.message).not.toBe('');
    return error.reason;
  };

  it('a folder that does not exist', () => {
    const path = join(newPath(), 'missing', 'store.db');
    expect(reasonFor(path)).toBe('missingFolder');
    expect(openSqliteStore(path)._unsafeUnwrapErr().message).toContain(path);
  });

  it('an empty path, which SQLite would open as a temporary database', () => {
    expect(reasonFor('')).toBe('missingFolder');
    expect(reasonFor('  ')).toBe('missingFolder');
  });

  it.each([undefined, null, 5, {}])('%j instead of a path', (path) => {
    expect(reasonFor(path as never)).toBe('missingFolder'); // cast: hosts without types may pass it
  });

  it('a folder instead of the file', () => {
    const path = newPath();
    mkdirSync(path);
    expect(reasonFor(path)).toBe('unwritable');
  });

  it('a file that is not a database', () => {
    const path = newPath();
    writeFileSync(path, 'Dear diary, '.repeat(100));
    expect(reasonFor(path)).toBe('notADatabase');
  });

  it('a database that another connection holds', () => {
    const path = newPath();
    const db = openDatabase(path);
    db.exec('BEGIN EXCLUSIVE; CREATE TABLE theirs (a)');
    expect(reasonFor(path, { openingTimeoutMs: 20 })).toBe('locked');
  });

  it.runIf(process.platform === 'linux')(
    'a file that is mounted alone into a container, without the commits in its -wal',
    async () => {
      const path = `${newPath()} with a space`;
      await openStore(path).close();
      const host = openDatabase(path);
      const mounts = [path.replaceAll(' ', '\\040'), '/'].map(
        (at) => `1 0 8:1 / ${at} rw - ext4 /dev/sda1 rw`,
      );
      const read = vi.spyOn(fs, 'readFileSync').mockReturnValue(mounts.join('\n'));
      syncBuiltinESMExports();
      onTestFinished(() => {
        read.mockRestore();
        syncBuiltinESMExports();
      });
      for (const opened of [openSqliteStore(path), openSqliteStore(host)]) {
        const { reason, message } = opened._unsafeUnwrapErr();
        expect([reason, message]).toEqual(['unsuitable', expect.stringContaining('the folder')]);
      }
      host.close();
      await openStore(`${path} more`).close();
    },
  );

  it.runIf(process.platform === 'linux').each([
    ['NFS', 0x6969],
    ['CIFS', -11317950],
    ['SMB', 0xfe534d42],
  ])('a file on %s, and a new one', async (name, type) => {
    const path = newPath();
    await openStore(path).close();
    const host = openDatabase(path);
    onFileSystem(type);
    const another = newPath();
    const why = expect.stringContaining(`on ${name}, `);
    for (const opened of [openSqliteStore(path), openSqliteStore(another), openSqliteStore(host)]) {
      const { reason, message } = opened._unsafeUnwrapErr();
      expect([reason, message]).toEqual(['unsuitable', why]);
    }
    // A backup is looked at all the same.
    const told: string[] = [];
    const onError = (error: unknown) => told.push(String(error));
    await readSqliteStore(path, { onError })._unsafeUnwrap().close();
    expect(told).toEqual([why]);
    expect(existsSync(another)).toBe(false);
    await openStore(':memory:').close();
  });

  it.runIf(existsSync('/dev/shm') && statSync('/dev/shm').dev !== statSync(tmpdir()).dev)(
    'a database whose -wal is on another device',
    async () => {
      const path = newPath();
      await openStore(path).close();
      const elsewhere = join('/dev/shm', `chairside-${randomUUID()}`);
      writeFileSync(elsewhere, '');
      symlinkSync(elsewhere, `${path}-wal`);
      onTestFinished(() => rmSync(elsewhere, { force: true }));
      expect(reasonFor(path)).toBe('unsuitable');
    },
  );

  it('a later schema, which stays unchanged', async () => {
    const path = newPath();
    await openStore(path).close();
    const db = openDatabase(path);
    db.exec("INSERT INTO chairside_migrations VALUES (2, 'a hash', 2)");
    expect(reasonFor(path)).toBe('newerSchema');
  });

  it.each([
    ["UPDATE chairside_migrations SET hash = 'another'"],
    ['ALTER TABLE chairside_migrations DROP COLUMN hash'],
  ])('a schema of an unreleased version, which stays unchanged: %s (D206)', async (change) => {
    const path = newPath();
    await openStore(path).close();
    const db = openDatabase(path);
    db.exec(change);
    const before = db.serialize();
    expect(reasonFor(path)).toBe('unreleasedSchema');
    expect(openSqliteStore(path)._unsafeUnwrapErr().message).toContain('unreleased version');
    expect(db.serialize().equals(before)).toBe(true);
  });

  it.each([
    ['journal_mode', 'delete'],
    ['synchronous', 1],
    ['fullfsync', 0],
    ['busy_timeout', 5000],
  ])('%s with a value that is not durable', (name, actual) => {
    const db = openDatabase();
    const pragma = db.pragma.bind(db);
    db.pragma = (source, options) => (source === name ? actual : pragma(source, options));
    const failure = openStoreOn(db)._unsafeUnwrapErr();
    expect(failure.reason).toBe('pragmaNotHonoured');
    expect(failure.why).toContain(name);
    expect(db.open).toBe(false);
  });
});
