import { expect, it } from 'vitest';
import { connectionString, newPool, openStore } from './helpers.ts';

it('tells its version, its schema and its durable settings', async () => {
  const store = await openStore();
  const about = (await store.about?.())?._unsafeUnwrap();
  expect(about).toMatchObject({
    product: expect.stringMatching(/^PostgreSQL \d+/),
    schemaVersion: 1,
    settings: { synchronous_commit: 'on' },
  });
});

it('sees a setting that became unsafe after the store was opened', async () => {
  const role = `unsafe_${Date.now()}`;
  const admin = newPool();
  await admin.query(`CREATE ROLE ${role} LOGIN SUPERUSER`);
  const url = new URL(connectionString);
  url.username = role;
  const store = await openStore({ maxConnections: 1 }, url.href);
  try {
    expect((await store.about?.())?._unsafeUnwrap().fault).toBeUndefined();
    await admin.query(`ALTER ROLE ${role} SET synchronous_commit = off`);
    await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1', [
      role,
    ]);
    await expect
      .poll(async () => (await store.about?.())?.map(({ fault }) => fault).unwrapOr(undefined))
      .toBe('synchronous_commit is off: the latest commits can be lost');
  } finally {
    await store.close();
    await admin.query(`REASSIGN OWNED BY ${role} TO CURRENT_USER; DROP ROLE ${role}`);
  }
});

it('says that a server is gone', async () => {
  const pool = newPool();
  const store = await openStore({}, pool);
  await pool.end();
  expect((await store.about?.())?.isErr()).toBe(true);
});
