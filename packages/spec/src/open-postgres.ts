import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Store } from '@chairside/core';
import { openPostgresStore } from '@chairside/postgres';
import { Pool } from 'pg';
import { inject } from 'vitest';

declare module 'vitest' {
  export interface ProvidedContext {
    /** A Unix socket that answers where the PostgreSQL server of this test run is. */
    readonly postgresServer: string;
  }
}

let pool: Pool | undefined;
/** Schemas that no world uses now. To empty one takes a twentieth of the time to make one. */
const free: string[] = [];

/** A store on a schema that no other world has, on the server of this test run. */
export async function openPostgres(): Promise<{ store: Store; dispose: () => Promise<void> }> {
  const connectionString =
    process.env['DATABASE_URL'] ?? (await text(connect(inject('postgresServer'))));
  pool ??= new Pool({ connectionString, pipeline: true, allowExitOnIdle: true });
  const server = pool;
  const schema = free.pop() ?? `spec_${randomUUID()}`;
  const opened = await openPostgresStore(server, { schema });
  if (opened.isErr()) throw new Error(opened.error.message);
  const store = opened.value;
  return {
    store,
    dispose: async () => {
      await store.close();
      await empty(server, schema);
      free.push(schema);
    },
  };
}

async function empty(server: Pool, schema: string): Promise<void> {
  const { rows } = await server.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables
     WHERE table_schema = $1 AND table_name <> 'chairside_migrations'`,
    [schema],
  );
  await server.query(rows.map(({ name }) => `DELETE FROM "${schema}"."${name}"`).join('; '));
}
