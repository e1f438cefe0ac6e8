import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Store } from '@chairside/core';
import type { Database } from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { insertOf, newPath, openDatabase, openStore } from './helpers.ts';

/** Far more pages than the threshold of a checkpoint. */
const manyPayments = 10_000;

async function fill(store: Store, payments: number): Promise<void> {
  const ids = Array.from({ length: payments }, (_, index) => `cpm_${index}`);
  const answers = await Promise.all(ids.map((id) => store.commit(insertOf(id))));
  expect(answers.filter((answer) => answer.isErr())).toEqual([]);
}

function walOf(db: Database): { log: number; checkpointed: number } {
  const [row] = db.pragma('wal_checkpoint(NOOP)') as [{ log: number; checkpointed: number }]; // cast: as SQLite documents it
  return row;
}

it('copies committed pages into the database, and keeps the WAL bounded (D69)', async () => {
  const path = newPath();
  const db = openDatabase(path);
  db.pragma('wal_autocheckpoint = 4321');
  const store = openStore(db);
  await fill(store, manyPayments);
  expect(db.pragma('wal_autocheckpoint', { simple: true })).toBe(8000);
  // The thread takes its time; the test's deadline bounds the wait.
  while (walOf(db).checkpointed < 500) await nextTurn();
  expect(walOf(db).log).toBeLessThan(10_000);

  await store.close();
  expect(existsSync(`${path}-wal`)).toBe(false);

  const again = openStore(path);
  const last = await again.payments.get(`cpm_${manyPayments - 1}`);
  expect(last._unsafeUnwrap()?.id).toBe(`cpm_${manyPayments - 1}`);
  await again.close();
});

it('starts no thread for a few pages (D69)', async () => {
  const db = openDatabase();
  const store = openStore(db);
  await fill(store, 10);
  expect(db.pragma('wal_autocheckpoint', { simple: true })).toBe(1000);
  await store.close();
  db.close();
});

it('leaves checkpoints to a host that has turned them off', async () => {
  const db = openDatabase();
  db.pragma('wal_autocheckpoint = 0');
  const store = openStore(db);
  await fill(store, manyPayments);
  const { log, checkpointed } = walOf(db);
  expect(log).toBeGreaterThan(500);
  expect(checkpointed).toBe(0);
  expect(db.pragma('wal_autocheckpoint', { simple: true })).toBe(0);
  await store.close();
  db.close();
});

it('does not keep a process alive that leaves its store open', async () => {
  const script = join(import.meta.dirname, 'fixtures', 'never-closed.ts');
  const args = ['--conditions=@chairside/source', script, newPath()];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  // The test's deadline bounds the wait.
  const [code] = await once(child, 'close');
  expect({ said, code }).toEqual({ said: 'true\n', code: 0 });
}, 20_000);

it('leaves checkpoints to the commits if the thread cannot start (D69)', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'chairside-'));
  const errors: unknown[] = [];
  const db = openDatabase(join(folder, 'gone.db'));
  const store = openStore(db, { onError: (error) => errors.push(error) });
  // An open database works without its name, but another connection does not find it.
  rmSync(folder, { recursive: true });
  await fill(store, manyPayments);
  while (errors.length === 0) await nextTurn();
  expect(String(errors)).toContain('Cannot open database');
  expect(db.pragma('wal_autocheckpoint', { simple: true })).toBe(1000);
  expect((await store.commit(insertOf('cpm_after'))).isOk()).toBe(true);
  await store.close();
  db.close();
});
