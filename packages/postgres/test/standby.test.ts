import { cpSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedServer, startEmbeddedServer } from '@chairside/postgres/embedded';
import { afterEach, expect, it } from 'vitest';
import { type Health, type Query, sendTransaction } from '../src/connection.ts';
import { openPostgresStore } from '../src/index.ts';
import { sqlState } from '../src/postgres-error.ts';
import { type StatementName, statementsIn } from '../src/statements.ts';
import { insertOf, newPool } from './helpers.ts';
import { startStandby } from './standby.ts';

const toClose: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of toClose.splice(0).reverse()) await close();
});

async function standby(): Promise<EmbeddedServer> {
  const server = await startStandby();
  toClose.push(() => server.remove());
  return server;
}

const health: Health = { isReplicaBehind: false, isStandby: false };
const statements = statementsIn('chairside');
const query = (name: StatementName, ...cells: readonly string[]): Query => ({
  ...statements[name],
  cells,
});

it.each([true, false])(
  'what a standby refuses is undone as a whole, pipeline: %s',
  async (pipeline) => {
    const { connectionString } = await standby();
    const pool = newPool({ connectionString, pipeline });
    const client = await pool.connect();
    const replies = await sendTransaction(client, health, statements, [
      query('getPayment', 'cpm_1'),
    ]);
    client.release();
    await pool.end();
    // A read that was answered would be in no transaction, and so would a write once it takes them.
    expect(
      replies.map((reply) => (reply.isOk() ? reply.value.command : sqlState(reply.error))),
    ).toStrictEqual(['BEGIN', '0A000', '25P02', 'ROLLBACK']);
  },
);

it('a commit that meets a standby is tried again, and written once that takes over', async () => {
  const { connectionString } = await standby();
  const admin = newPool({ connectionString });
  let promoted: Promise<unknown> | undefined;
  const opened = await openPostgresStore(connectionString, {
    maxAttempts: 1000,
    deadlineMs: 60_000,
    onError: () => {
      promoted ??= admin.query('SELECT pg_promote()');
    },
  });
  const store = opened._unsafeUnwrap();
  expect((await store.commit(insertOf('cpm_1'))).isOk()).toBe(true);
  expect((await store.payments.get('cpm_1'))._unsafeUnwrap()?.id).toBe('cpm_1');
  await promoted;
  await store.close();
  await admin.end();
}, 60_000);

it('a node that met a standby goes where the name of the primary points now', async () => {
  const old = await standby();
  const folder = mkdtempSync(join(tmpdir(), 'cs-dns-'));
  toClose.push(async () => rmSync(folder, { recursive: true }));
  const found = join(folder, 'primary');
  const pointTo = (socketFolder: string) => {
    symlinkSync(socketFolder, `${found}.new`);
    renameSync(`${found}.new`, found);
  };
  pointTo(old.socketFolder);
  const primary = (
    await startEmbeddedServer({
      fill: async (dataFolder) => {
        await old.stop();
        cpSync(old.dataFolder, dataFolder, { recursive: true });
        rmSync(join(dataFolder, 'standby.signal'));
        (await old.start())._unsafeUnwrap();
      },
    })
  )._unsafeUnwrap();
  toClose.push(() => primary.remove());
  const url = `postgresql://postgres@localhost/postgres?host=${encodeURIComponent(found)}`;
  const opened = await openPostgresStore(url, {
    deadlineMs: 60_000,
    maxConnections: 1,
    onError: () => pointTo(primary.socketFolder),
  });
  const store = opened._unsafeUnwrap();
  toClose.push(() => store.close());
  expect((await store.commit(insertOf('cpm_1'))).isOk()).toBe(true);
  expect((await store.payments.get('cpm_1'))._unsafeUnwrap()?.id).toBe('cpm_1');
}, 60_000);

it('nothing is sent one by one behind a BEGIN that failed', async () => {
  const pool = newPool({ pipeline: false });
  const client = await pool.connect();
  const begin = { name: 'no begin', text: 'BEGIN AND END' };
  const replies = await sendTransaction(client, health, { ...statements, begin }, []);
  client.release();
  expect(replies).toHaveLength(1);
});
