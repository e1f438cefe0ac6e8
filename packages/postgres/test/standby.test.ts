import type { EmbeddedServer } from '@chairside/postgres/embedded';
import { afterEach, expect, it } from 'vitest';
import { type Query, send } from '../src/connection.ts';
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
    const replies = await send(client, [
      query('begin'),
      query('allowWrites'),
      query('getPayment', 'cpm_1'),
      query('commit'),
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

it('nothing is sent one by one behind a BEGIN that failed', async () => {
  const pool = newPool({ pipeline: false });
  const client = await pool.connect();
  const begin = { name: 'no begin', text: 'BEGIN AND END', cells: [] };
  const replies = await send(client, [begin, query('commit')]);
  client.release();
  expect(replies).toHaveLength(1);
});
