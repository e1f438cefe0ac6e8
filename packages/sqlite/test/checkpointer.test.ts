import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Store } from '@chairside/core/ports';
import type { Database } from 'better-sqlite3';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { expect, it, onTestFinished } from 'vitest';
import { SqliteWalHeld } from '../src/index.ts';
import { insertOf, newPath, openDatabase, openNoting, openStore } from './helpers.ts';

/** Webpack looks for the browser's `Worker`. */
const withoutWorker: Plugin = {
  name: 'without Worker',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:worker_threads$/ }, ({ path }) => ({ path, namespace: 'webpack' }));
    onLoad({ filter: /.*/, namespace: 'webpack' }, () => ({
      contents: `export function Worker() { throw new ReferenceError('Worker is not defined'); }`,
    }));
  },
};

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
});

it('starts no thread for a few pages (D69)', async () => {
  const db = openDatabase();
  const store = openStore(db);
  await fill(store, 10);
  expect(db.pragma('wal_autocheckpoint', { simple: true })).toBe(1000);
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
});

it('says that a long reader holds the WAL, and empties it when the reader has gone', async () => {
  const path = newPath();
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  const maxWalPages = 300;
  const store = openStore(openDatabase(path), {
    onError,
    pace: { checkpointPages: 50, maxWalPages },
  });
  (await store.commit(insertOf('before')))._unsafeUnwrap();
  const reader = openDatabase(path);
  reader.exec('BEGIN');
  const count = reader.prepare('SELECT count(*) FROM chairside_payments').pluck();
  expect(count.get()).toBe(1);
  let written = 0;
  const one = async () => (await store.commit(insertOf(`cpm_${++written}`)))._unsafeUnwrap();
  while (errors.length === 0) await one();
  expect(errors[0]).toBeInstanceOf(SqliteWalHeld);
  expect(String(errors[0])).toMatch(/Another connection keeps \d+ MB in the WAL/);
  const other = openDatabase(path);
  expect(walOf(other).log).toBeGreaterThanOrEqual(maxWalPages);
  expect(count.get()).toBe(1);
  // It is told once a minute, and not for each commit.
  for (let more = 0; more < 100; more += 1) await one();
  expect(errors).toHaveLength(1);
  reader.exec('COMMIT');
  reader.close();
  while (walOf(other).log >= maxWalPages) await one();
});

it.each<[string, Partial<BuildOptions>]>([
  ['esbuild as CommonJS', {}],
  ['webpack', { plugins: [withoutWorker] }],
])(
  'says what to do when %s has packed it without its thread',
  async (_, options) => {
    const outfile = `${newPath()}.cjs`;
    await build({
      stdin: {
        contents: `import { openSqliteStore } from '@chairside/sqlite';
        import { aPayment, someTime } from '@chairside/testkit';
        const said = [];
        const onError = (error) => said.push(error.message);
        const store = openSqliteStore(process.argv[2], { onError })._unsafeUnwrap();
        (async () => {
          for (let index = 0; said.length === 0; index += 1) {
            const payment = aPayment({ id: 'cpm_' + index });
            const changes = [{ kind: 'insertPayment', payment }];
            await store.commit({ id: payment.id, at: someTime, changes });
          }
          await store.close();
          console.log(said[0]);
        })();`,
        resolveDir: import.meta.dirname,
      },
      outfile,
      bundle: true,
      platform: 'node',
      format: 'cjs',
      conditions: ['@chairside/source'],
      external: ['better-sqlite3', 'vitest'],
      logLevel: 'silent',
      ...options,
    });
    const run = promisify(execFile);
    const modules = join(import.meta.dirname, '..', 'node_modules');
    const env = { ...process.env, NODE_PATH: modules };
    const { stdout } = await run(process.execPath, [outfile, newPath()], { env });
    expect(stdout).toMatch(/^The checkpoint thread does not run, so commits do its work\. /);
    expect(stdout).toMatch(
      /keep the package outside the bundle: .*(Invalid URL|Worker is not defined)/,
    );
  },
  20_000,
);

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
  const db = openDatabase();
  const { store, errors } = openNoting(db);
  // The thread receives a path that it cannot open.
  const prepare = db.prepare.bind(db);
  db.prepare = new Proxy(db.prepare, {
    apply: (_, __, [source]) =>
      prepare(source.includes('pragma_database_list') ? "SELECT '/missing/gone.db'" : source),
  });
  await fill(store, manyPayments);
  while (errors.length === 0) await nextTurn();
  expect(String(errors)).toContain('annot open database');
  expect(db.pragma('wal_autocheckpoint', { simple: true })).toBe(1000);
  expect((await store.commit(insertOf('cpm_after'))).isOk()).toBe(true);
});
