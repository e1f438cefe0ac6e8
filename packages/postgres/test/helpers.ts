import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Change, Commit, Payment } from '@chairside/core';
import { aPayment, someTime } from '@chairside/testkit';
import { Pool, type PoolConfig } from 'pg';
import { afterAll, inject } from 'vitest';
import { openPostgresStore, type PostgresStore, type PostgresStoreOptions } from '../src/index.ts';

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

/** A store on a separate schema, over the given pool or a new one. */
export async function openStore(
  options: PostgresStoreOptions = {},
  pool: Pool | string = connectionString,
): Promise<PostgresStore> {
  const opened = await openPostgresStore(pool, { schema: newSchema(), ...options });
  return opened._unsafeUnwrap();
}

export function commitOf(id: string, ...changes: readonly Change[]): Commit {
  return { id, at: someTime, changes };
}

export function insertOf(id: string, over: Partial<Payment> = {}): Commit {
  return commitOf(id, { kind: 'insertPayment', payment: aPayment({ id, ...over }) });
}
