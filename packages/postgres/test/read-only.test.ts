import { type Chairside, createChairside } from '@chairside/core';
import { Pool } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openPostgresStore, type PostgresStore } from '../src/index.ts';
import { inSchema } from '../src/schema.ts';
import { connectionString, insertOf, newPool, newSchema, openNoting } from './helpers.ts';
import { capture, create, givenAppointment, openShop, paymentOf, present } from './shop.ts';

const policy = { limit: 5, windowMs: 60_000 };

/** A database that its administrator can forbid to write. */
async function newDatabase() {
  const name = `db_${newSchema().slice(-12)}`;
  const admin = newPool();
  await admin.query(`CREATE DATABASE ${name}`);
  onTestFinished(async () => void (await admin.query(`DROP DATABASE ${name} WITH (FORCE)`)));
  const url = new URL(connectionString);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    freeze: () =>
      admin.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on;
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`),
  };
}

async function openWith(url: string, onError?: (error: unknown) => void): Promise<PostgresStore> {
  const store = (await openPostgresStore(url, { onError, maxConnections: 4 }))._unsafeUnwrap();
  onTestFinished(() => store.close());
  return store;
}

/** What `pg_dump` reads: all rows on one snapshot. */
async function dump(from: string, to: string): Promise<void> {
  const [source, target] = [
    new Pool({ connectionString: from }),
    new Pool({ connectionString: to }),
  ];
  const reading = await source.connect();
  await reading.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  const tables = await reading.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables
     WHERE schemaname = 'chairside' AND tablename <> 'chairside_migrations'`,
  );
  for (const { name } of tables.rows) {
    const all = await reading.query<{ rows: string | null }>({
      text: `SELECT json_agg(one)::TEXT AS rows FROM chairside.${name} AS one`,
    });
    const insert = `INSERT INTO chairside.${name}
      SELECT * FROM json_populate_recordset(NULL::chairside.${name}, $1)`;
    await target.query(insert, [all.rows[0]?.rows ?? '[]']);
  }
  reading.release(true);
  await Promise.all([source.end(), target.end()]);
}

it('a shop whose database is frozen, dumped and restored elsewhere charges each visit once', async () => {
  const [old, other] = [await newDatabase(), await newDatabase()];
  const shop = await openShop({
    nodes: 2,
    openNode: () => openPostgresStore(old.url, { maxConnections: 4 }),
  });
  onTestFinished(() => shop.close());
  const visits = await Promise.all(
    Array.from({ length: 12 }, async (_, index) => {
      const id = await givenAppointment(shop, `visit ${index}`);
      const payment = paymentOf(await create(shop.next(), id, `create ${index}`));
      return { id, payment, reference: present(shop, payment), key: `capture ${index}` };
    }),
  );
  const acknowledged: string[] = [];
  const captureAt = async (chairside: Chairside, from: number, to: number) => {
    const answers = visits.slice(from, to).map(async ({ id, payment, reference, key }) => {
      const answer = await capture(chairside, payment, reference, key);
      if ('ok' in answer) acknowledged.push(id);
    });
    await Promise.all(answers);
  };
  await captureAt(shop.next(), 0, 4);
  expect(acknowledged).toHaveLength(4);

  await old.freeze();
  const restored = await openWith(other.url);
  const dumping = dump(old.url, other.url);
  await captureAt(shop.next(), 4, 8);
  await dumping;
  await captureAt(shop.next(), 8, 12);
  // Nothing was acknowledged that the dump may lack, and the processor captured nothing either.
  expect(acknowledged).toHaveLength(4);
  const captured = () =>
    shop.processor.entries().filter(({ amountCaptured }) => amountCaptured === '45.00');
  expect(captured()).toHaveLength(4);

  const chairside = createChairside({
    store: restored,
    processor: shop.processor,
    clock: shop.clock,
    rateLimits: 'off',
  });
  (await chairside.reconcile())._unsafeUnwrap();
  await captureAt(chairside, 0, 12);
  expect(new Set(acknowledged).size).toBe(12);
  // Whoever asks for the money again is told that it was paid.
  for (const [index, { id }] of visits.entries()) {
    expect(await create(chairside, id, `again ${index}`)).toMatchObject({
      problem: { type: expect.stringContaining('appointmentAlreadyPaid') },
    });
  }
  expect(
    captured()
      .map(({ id }) => id)
      .sort(),
  ).toStrictEqual(visits.map(({ reference }) => reference).sort());
  await chairside.settled();
});

describe('what an administrator forbids', () => {
  it('is not written, and the observer is told once', async () => {
    const database = await newDatabase();
    const told: string[] = [];
    const store = await openWith(database.url, (error) => told.push(String(error)));
    await database.freeze();
    await expect.poll(async () => (await store.payments.get('no')).isOk()).toBe(true);
    told.splice(0);
    expect((await store.commit(insertOf('cpm_1')))._unsafeUnwrapErr()).toMatchObject({
      kind: 'storeUnavailable',
      outcome: 'notApplied',
    });
    expect(told).toStrictEqual([expect.stringContaining('default_transaction_read_only is on')]);
    expect((await store.payments.get('cpm_1'))._unsafeUnwrap()).toBeUndefined();
    expect((await store.wasCommitted('cpm_1')).isErr()).toBe(true);
    expect((await store.rateLimiter.take('p', 'k', policy, 0)).isErr()).toBe(true);
  });

  it('does not open', async () => {
    const database = await newDatabase();
    await (await openWith(database.url)).close();
    await database.freeze();
    const opened = await openPostgresStore(database.url);
    expect(opened._unsafeUnwrapErr()).toStrictEqual({
      kind: 'postgresOpenError',
      reason: 'readOnly',
      message: 'The server takes no writes: default_transaction_read_only is on',
    });
  });
});

describe('a session that somebody left read-only in the pool', () => {
  it.each([
    'SET default_transaction_read_only = on',
    'SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY',
  ])('with %s is written to nevertheless', async (leftOver) => {
    const schema = newSchema();
    const pool = newPool({ max: 1 });
    const { store, errors: told } = await openNoting({ schema }, pool);
    await pool.query(leftOver);
    (await store.commit(insertOf('cpm_1')))._unsafeUnwrap();
    await pool.query(leftOver);
    (await store.rateLimiter.take('p', 'k', policy, 0))._unsafeUnwrap();
    await pool.query(leftOver);
    expect((await store.wasCommitted('cpm_1'))._unsafeUnwrap()).toBe(true);
    expect(told).toStrictEqual([]);
    const { rows } = await pool.query(inSchema('SELECT taken::INT FROM @rate_limits', schema));
    expect(rows).toStrictEqual([{ taken: 1 }]);
  });
});
