import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { err, ok } from '@chairside/core';
import type { Store } from '@chairside/core/ports';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startCheckpointThread } from '../src/checkpoint-thread.ts';
import { standOn } from '../src/ground.ts';
import { openSqliteStore, SqliteStoreFailed } from '../src/index.ts';
import { createWriter } from '../src/writer.ts';
import { insertOf, newPath, openDatabase, openNoting, openStore } from './helpers.ts';

const unavailable = (outcome: string) => ({ kind: 'storeUnavailable', outcome });

/** A database in a folder of its own, so that the folder may be moved. */
function newFolder(): { readonly folder: string; readonly path: string } {
  const folder = newPath();
  mkdirSync(folder);
  return { folder, path: join(folder, 'payments.db') };
}

async function insert(store: Store, ...ids: readonly string[]): Promise<void> {
  for (const id of ids) (await store.commit(insertOf(id)))._unsafeUnwrap();
}

async function isThere(path: string, id: string): Promise<boolean> {
  const store = openStore(path);
  const found = (await store.payments.get(id))._unsafeUnwrap();
  await store.close();
  return found !== undefined;
}

/** Another process that has written these payments, and has the database open. */
async function writeElsewhere(
  path: string,
  written: readonly string[],
): Promise<ChildProcessWithoutNullStreams> {
  const script = join(import.meta.dirname, 'fixtures', 'writing-process.ts');
  const args = ['--conditions=@chairside/source', '--no-warnings', script, path, ...written];
  const child = spawn(process.execPath, args);
  const [said] = await once(child.stdout, 'data');
  expect(String(said)).toBe('acknowledged\n');
  return child;
}

const ids = Array.from({ length: 20 }, (_, index) => `theirs_${index}`);

describe('a store whose files are lost while it is open (D205)', () => {
  it.each<[string, string, (path: string, folder: string) => void]>([
    [
      'another SQLite in the process opened the database and closed it',
      '-wal',
      (path) => {
        const theirs = new DatabaseSync(path);
        theirs.prepare('SELECT count(*) FROM chairside_payments').get();
        theirs.close();
      },
    ],
    ['the -wal was deleted', '-wal', (path) => rmSync(`${path}-wal`)],
    ['the -shm was deleted', '-shm', (path) => rmSync(`${path}-shm`)],
    ['the database was deleted', '', (path) => rmSync(path)],
    [
      'a backup was moved over the database',
      '',
      (path) => {
        copyFileSync(path, `${path}.backup`);
        renameSync(`${path}.backup`, path);
      },
    ],
    ['its folder was moved', '', (_, folder) => renameSync(folder, `${folder}.moved`)],
  ])('%s: no later commit is acknowledged', async (_, lost, loseIt) => {
    const { folder, path } = newFolder();
    const { store, errors } = openNoting(path);
    await insert(store, 'before');
    loseIt(path, folder);
    const group = await Promise.all(['1', '2'].map((id) => store.commit(insertOf(id))));
    for (const answer of group) {
      expect(answer._unsafeUnwrapErr()).toStrictEqual(unavailable('unknown'));
    }
    const later = await store.commit(insertOf('later'));
    expect(later._unsafeUnwrapErr()).toStrictEqual(unavailable('notApplied'));
    expect((await store.payments.get('before')).isErr()).toBe(true);
    expect((await store.wasCommitted('1')).isErr()).toBe(true);
    await store.close();
    expect(errors).toHaveLength(1);
    expect(errors[0]).toBeInstanceOf(SqliteStoreFailed);
    expect(String(errors[0])).toContain(`${path}${lost} was deleted, moved or replaced`);
  });

  it('neither our commits nor our close touch the later commits of another process', async () => {
    const { path } = newFolder();
    const ours = openStore(path);
    await insert(ours, 'before');
    rmSync(`${path}-shm`);
    const theirs = await writeElsewhere(path, ids);
    expect((await ours.commit(insertOf('ours'))).isErr()).toBe(true);
    theirs.kill('SIGKILL');
    await once(theirs, 'exit');
    await ours.close();
    for (const id of ['before', ...ids]) expect(await isThere(path, id)).toBe(true);
  });

  it('its close copies nothing over what others have written and copied since', async () => {
    const { path } = newFolder();
    const errors: unknown[] = [];
    const ours = openStore(path, { onError: (error) => errors.push(error) });
    await insert(ours, 'ours');
    const theirs = new DatabaseSync(path);
    theirs.prepare('SELECT count(*) FROM chairside_payments').get();
    theirs.close();
    const other = await writeElsewhere(path, ids);
    other.stdin.end();
    await once(other, 'exit');
    await ours.close();
    expect(String(errors)).toContain('was deleted, moved or replaced');
    for (const id of ['ours', ...ids]) expect(await isThere(path, id)).toBe(true);
  });

  it('its thread makes no checkpoint, and says which file is lost', async () => {
    const { path } = newFolder();
    await openStore(path).close();
    const db = openDatabase(path);
    const footing = standOn(db, 0, path)._unsafeUnwrap();
    const said = (loseIt: () => void) =>
      new Promise((resolve, reject) => {
        const thread = startCheckpointThread(path, footing.ground, {
          done: (failed) => resolve(['done', failed]),
          lost: (file) => resolve(['lost', file]),
          gone: reject,
        });
        loseIt();
        thread.checkpoint();
      });
    expect(await said(() => undefined)).toStrictEqual(['done', undefined]);
    expect(await said(() => rmSync(`${path}-shm`))).toStrictEqual(['lost', `${path}-shm`]);
    footing.close();
  });

  it('goes on after a look that failed, whose commits are unknown', async () => {
    const { folder, path } = newFolder();
    await openStore(path).close();
    const link = join(folder, 'link.db');
    symlinkSync(path, link);
    const { store, errors } = openNoting(link);
    const loop = () => {
      rmSync(link);
      symlinkSync(link, link);
    };
    loop();
    expect((await store.commit(insertOf('1')))._unsafeUnwrapErr()).toStrictEqual(
      unavailable('unknown'),
    );
    expect(String(errors)).toContain('ELOOP');
    rmSync(link);
    symlinkSync(path, link);
    await insert(store, '1');
    rmSync(link);
    symlinkSync(`${path}.other`, link);
    expect((await store.commit(insertOf('2'))).isErr()).toBe(true);
    expect(errors.at(-1)).toBeInstanceOf(SqliteStoreFailed);
  });
});

it('a look before an answer counts for a group that follows at once, which is looked at before its own answer', async () => {
  const { path } = newFolder();
  await openStore(path).close();
  const db = openDatabase(path);
  const now = vi.spyOn(performance, 'now').mockReturnValue(1000);
  onTestFinished(() => now.mockRestore());
  let looks = 0;
  let isLost = false;
  const writer = createWriter(db, {
    hasRoom: () => true,
    lookAtGround: () => {
      looks += 1;
      return isLost ? { lost: path } : undefined;
    },
    lost: () => undefined,
    committed: () => undefined,
    error: () => undefined,
  });
  const write = (id: string) => writer.write([insertOf(id)]);
  expect(write('1')).toEqual([ok()]);
  expect(looks).toBe(2);
  expect(write('2')).toEqual([ok()]);
  expect(looks).toBe(3);
  now.mockReturnValue(1002);
  expect(write('3')).toEqual([ok()]);
  expect(looks).toBe(5);
  isLost = true;
  expect(write('4')).toEqual([err(unavailable('unknown'))]);
  expect(write('5')).toEqual([err(unavailable('notApplied'))]);
});

describe('a path', () => {
  it('is resolved once: the working directory may change later', async () => {
    const { folder } = newFolder();
    const elsewhere = newFolder().folder;
    const before = process.cwd();
    const errors: unknown[] = [];
    process.chdir(folder);
    const store = openSqliteStore('payments.db', {
      onError: (error) => errors.push(error),
    })._unsafeUnwrap();
    process.chdir(elsewhere);
    const many = Array.from({ length: 5000 }, (_, index) => store.commit(insertOf(`${index}`)));
    expect((await Promise.all(many)).every((answer) => answer.isOk())).toBe(true);
    await store.close();
    process.chdir(before);
    expect(errors).toEqual([]);
    expect(await isThere(join(folder, 'payments.db'), '4999')).toBe(true);
  });

  // A checker of rights needs an account without all of them.
  it.skipIf(process.platform === 'win32')(
    'of files that may only be read does not open',
    async () => {
      const { folder, path } = newFolder();
      openStore(path);
      for (const file of [path, `${path}-wal`, `${path}-shm`]) chmodSync(file, 0o444);
      chmodSync(folder, 0o755);
      const rights = process.geteuid?.() ?? 0;
      if (rights === 0) process.seteuid?.(65_534);
      const opened = openSqliteStore(path);
      process.seteuid?.(rights);
      expect(opened._unsafeUnwrapErr().reason).toBe('unwritable');
    },
  );

  it.for([
    ['a -wal', ['', '-wal']],
    ['a -wal and a -shm', ['', '-wal', '-shm']],
  ] as const)('on a read-only mount does not open, with %s beside it', async ([_, ends], test) => {
    const { folder, path } = newFolder();
    const mount = (...args: readonly string[]) => spawnSync('mount', args, { encoding: 'utf8' });
    const mounted = mount('-t', 'tmpfs', 'tmpfs', folder);
    test.skip(mounted.status !== 0, `mounting is not possible here: ${mounted.stderr}`);
    onTestFinished(() => void spawnSync('umount', ['-l', folder]));
    const store = openStore(`${folder}.source`);
    await insert(store, 'before');
    for (const end of ends) copyFileSync(`${folder}.source${end}`, `${path}${end}`);
    await store.close();
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
    expect(mount('-o', 'remount,ro', folder).status).toBe(0);
    const refused = openSqliteStore(path)._unsafeUnwrapErr();
    expect(refused).toMatchObject({ reason: 'unwritable' });
    expect(refused.message).toContain('mounted read-only (EROFS)');
    expect(mount('-o', 'remount,rw', folder).status).toBe(0);
    expect(await isThere(path, 'before')).toBe(true);
  });
});
