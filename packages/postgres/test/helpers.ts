import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type { Change, ChangeOf, Commit, Payment } from '@chairside/core/ports';
import { startEmbeddedServer } from '@chairside/embedded-postgres';
import { aPayment, someTime } from '@chairside/testkit';
import type { Held } from '@chairside/testkit/contracts';
import { Pool, type PoolConfig } from 'pg';
import { afterAll, inject, onTestFinished } from 'vitest';
import { openPostgresStore, type PostgresStore, type PostgresStoreOptions } from '../src/index.ts';
import { literal } from '../src/literal.ts';
import { inSchema } from '../src/schema.ts';

/** The developer's server, or the one of this test run. */
export const connectionString: string =
  process.env['DATABASE_URL'] ?? (await text(connect(inject('postgresServer'))));

/** Created by this file, and removed at its end. */
const schemas: string[] = [];
const pools: Pool[] = [];

afterAll(async () => {
  // The server of this test run is removed with all its data.
  const leftBehind = process.env['DATABASE_URL'] === undefined ? [] : schemas;
  for (const schema of leftBehind)
    await newPool().query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
  await Promise.all(pools.map((each) => (each.ended ? undefined : each.end())));
});

/** The name of a schema that does not exist yet. */
export function newSchema(): string {
  const schema = `test_${randomUUID()}`;
  schemas.push(schema);
  return schema;
}

/** Makes the schema like new, in a twentieth of the time. */
export async function empty(schema: string): Promise<void> {
  const pool = pools[0] ?? newPool();
  const { rows } = await pool.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables
     WHERE table_schema = $1 AND table_name <> 'chairside_migrations'`,
    [schema],
  );
  await pool.query(rows.map(({ name }) => `DELETE FROM "${schema}"."${name}"`).join('; '));
}

export function newPool(config: PoolConfig = {}): Pool {
  const pool = new Pool({ connectionString, pipeline: true, ...config });
  pool.on('error', () => {});
  pools.push(pool);
  return pool;
}

/** The name of a new schema, and a pool to look at it. */
export const newPlace = () => ({ schema: newSchema(), pool: newPool() });

/** The name of a schema that has its tables. */
export async function createSchema(schema: string = newSchema()): Promise<string> {
  const store = await openPostgresStore(connectionString, { schema, maxConnections: 1 });
  await store._unsafeUnwrap().close();
  return schema;
}

/** A store on a separate schema, over the given pool or a new one. Closed with its test. */
export async function openStore(
  options: PostgresStoreOptions = {},
  pool: Pool | string = connectionString,
): Promise<PostgresStore> {
  const opened = await openPostgresStore(pool, { schema: newSchema(), ...options });
  const store = opened._unsafeUnwrap();
  onTestFinished(store.close);
  return store;
}

/** The same, with the errors that it reports, as text. */
export async function openNoting(options: PostgresStoreOptions = {}, pool?: Pool | string) {
  const errors: string[] = [];
  const onError = (error: unknown) => errors.push(String(error));
  const store = await openStore({ ...options, onError }, pool);
  return { store, errors };
}

/** A server of the test's own, removed with it. */
export async function startServer(options?: Parameters<typeof startEmbeddedServer>[0]) {
  const server = (await startEmbeddedServer(options))._unsafeUnwrap();
  onTestFinished(() => server.remove());
  return server;
}

export function commitOf(id: string, ...changes: readonly Change[]): Commit {
  return { id, at: someTime, changes };
}

export function insertOf(id: string, over: Partial<Payment> = {}): Commit {
  return commitOf(id, { kind: 'insertPayment', payment: aPayment({ id, ...over }) });
}

/** One more open payment of an appointment. */
export function moveOf(appointmentId: string, over: Partial<ChangeOf<'moveLedger'>> = {}): Change {
  const sums = { openPayments: 1, reservedMinor: 0n, capturedMinor: 0n, currency: 'eur' };
  return { kind: 'moveLedger', appointmentId, ...sums, ...over };
}

/** A transaction of another session, which holds its locks until it ends. */
interface Holding extends Held {
  /** Ends it. Default: `ROLLBACK`. */
  release(end?: 'COMMIT'): Promise<void>;
}

export async function hold(
  schema: string,
  text: string,
  server: string = connectionString,
): Promise<Holding> {
  const pool = newPool({ connectionString: server });
  const holder = await pool.connect();
  await holder.query('BEGIN');
  const { rows } = await holder.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  await holder.query(inSchema(text, schema));
  return {
    async waitedFor() {
      for (let waiting = 0; waiting === 0; ) {
        await delay(5);
        const blocked = await pool.query(
          'SELECT 1 FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))',
          [rows[0]?.pid],
        );
        waiting = blocked.rows.length;
      }
    },
    async release(end: 'COMMIT' | 'ROLLBACK' = 'ROLLBACK') {
      await holder.query(end);
      holder.release();
      await pool.end();
    },
  };
}

/** Another session holds the ledger's row. */
export function holdLedger(schema: string, appointmentId: string): Promise<Held> {
  const of = `appointment_id = ${literal(appointmentId)}`;
  return hold(schema, `SELECT 1 FROM @ledgers WHERE ${of} FOR UPDATE`);
}
