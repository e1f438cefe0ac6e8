import { randomUUID } from 'node:crypto';
import type { Store } from '@chairside/core/ports';
import { openPostgresStore } from '@chairside/postgres';
import { Pool } from 'pg';

/** A store on an exclusive schema. */
export interface OwnSchema {
  readonly store: Store;
  /** Closes the store and opens it again, as after a crash. */
  reopen(): Promise<Store>;
  dispose(): Promise<void>;
}

export interface Schemas {
  take(): Promise<OwnSchema>;
  /** Removes all of them. */
  drop(): Promise<void>;
}

/** Schemas on a server, used by one world after the other. */
export function createSchemas(connectionString: string): Schemas {
  const pool = new Pool({ connectionString, allowExitOnIdle: true });
  const made: string[] = [];
  /** Unused schemas. Emptying one takes a twentieth of the time of creating one. */
  const free: string[] = [];

  async function open(schema: string): Promise<Store> {
    const opened = await openPostgresStore(pool, { schema });
    if (opened.isErr()) throw new Error(opened.error.message);
    return opened.value;
  }

  function make(): string {
    const schema = `spec_${randomUUID()}`;
    made.push(schema);
    return schema;
  }

  return {
    async take() {
      const schema = free.pop() ?? make();
      let store = await open(schema);
      return {
        store,
        reopen: async () => {
          await store.close();
          store = await open(schema);
          return store;
        },
        dispose: async () => {
          await store.close();
          await empty(pool, schema);
          free.push(schema);
        },
      };
    },
    drop: async () => {
      for (const schema of made) await pool.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
      await pool.end();
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
