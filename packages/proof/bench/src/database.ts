import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { startEmbeddedServer } from '@chairside/embedded-postgres';
import BetterSqlite3 from 'better-sqlite3';
import { Client } from 'pg';

/** The path of a SQLite file, or the connection string of a PostgreSQL server. */
export interface Address {
  readonly path?: string;
  readonly url?: string;
}

export type Row = Readonly<Record<string, unknown>>;
export type StoreName = 'sqlite' | 'postgres';
export const stores: readonly StoreName[] = ['sqlite', 'postgres'];
export type Database = Awaited<ReturnType<typeof createDatabase>>;

/** An empty database for a program of this kind: a file in the folder, or a server of its own. */
export async function createDatabase(store: StoreName, folder: string, kind = 'chairside') {
  const created = await (store === 'sqlite' ? inFile(folder) : onServer());
  const prefix = store === 'sqlite' ? 'chairside_' : 'chairside.chairside_';
  // What was filled in was captured before.
  const own = `business_id = 'shop-0' AND captured_at >= ${Math.floor(performance.timeOrigin)}`;
  const [tables, where] = kind === 'chairside' ? [prefix, own] : ['', "state = 'captured'"];
  return {
    ...{ ...created, store, tables },
    /** The number of payments that were captured since this process began. */
    async captured(): Promise<number> {
      const [row] = await created.run(`SELECT count(*) AS n FROM ${tables}payments WHERE ${where}`);
      return Number(row?.['n']);
    },
  };
}

/** Runs statements. Returns the rows, if it is a single one that has any. */
export async function runSql({ path, url }: Address, sql: string): Promise<readonly Row[]> {
  if (path === undefined) {
    const client = new Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query<Row>(sql);
    await client.end();
    return rows;
  }
  const db = new BetterSqlite3(path, { timeout: 60_000 });
  const hasRows = /^(SELECT|PRAGMA)[^;]*$/.test(sql);
  const rows = hasRows ? db.prepare<[], Row>(sql).all() : [];
  if (!hasRows) db.exec(sql);
  db.close();
  return rows;
}

function inFile(folder: string) {
  const own = mkdtempSync(join(folder, 'run-'));
  const path = join(own, 'bench.db');
  const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  const address: Address = { path };
  return {
    address,
    run: (sql: string) => runSql(address, sql),
    /** The bytes of all, and of the WAL. */
    sizes: async () => [sizeOf(path) + sizeOf(`${path}-wal`), sizeOf(`${path}-wal`)],
    remove: async () => rmSync(own, { recursive: true }),
  };
}

async function onServer() {
  const { connectionString: url, remove } = (await startEmbeddedServer())._unsafeUnwrap();
  const address: Address = { url };
  const run = (sql: string) => runSql(address, sql);
  const wal = '(SELECT sum(size) FROM pg_ls_waldir()) AS wal';
  const sizes = `SELECT pg_database_size(current_database()) AS total, ${wal}`;
  const numbers = async () => Object.values((await run(sizes))[0] ?? {}).map(Number);
  return { address, run, remove, sizes: numbers };
}
