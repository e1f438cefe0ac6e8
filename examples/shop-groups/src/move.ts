import { openPostgresStore } from '@chairside/postgres';
import { escapeIdentifier, type Pool, type PoolClient } from 'pg';
import type { Directory } from './directory.ts';

/** The steps of a move, in order. After each of them the move may die. */
export type Step = 'closed' | 'fenced' | 'copied' | 'retired' | 'switched';

export interface MoveOptions {
  readonly directory: Directory;
  readonly servers: ReadonlyMap<string, Pool>;
  readonly group: string;
  readonly to: string;
  readonly onStep?: (step: Step) => void;
}

/** The tables that stay behind: the new schema has its own migrations, and counts of calls begin anew. */
const left = ['chairside_migrations', 'chairside_rate_limits'];
const rowsPerBatch = 500;

/**
 * Moves a shop group to another server. If it dies, run it again: each step may run twice.
 *
 * 1. closed: the directory says that the group moves, so nodes respond 503.
 * 2. fenced: commits of nodes that have not read the directory fail from now on.
 * 3. copied: one transaction holds all rows, compared before its end.
 * 4. retired: the old schema has another name, so that no node reads old rows.
 * 5. switched: the directory names the new server.
 */
export async function moveGroup(options: MoveOptions): Promise<void> {
  const { directory, servers, group, to, onStep = () => undefined } = options;
  const place = await directory.begin(group, to);
  if (place.server === to) return;
  onStep('closed');
  const [source, target] = [servers.get(place.server), servers.get(to)];
  if (source === undefined || target === undefined) throw new Error('there is no such server');
  const retired = `${group}_moved_${place.version}`;
  if (!(await hasSchema(source, retired))) {
    await fence(source, group);
    onStep('fenced');
    await copy(source, target, group);
    onStep('copied');
    await source.query(
      `ALTER SCHEMA ${escapeIdentifier(group)} RENAME TO ${escapeIdentifier(retired)}`,
    );
  }
  onStep('retired');
  await directory.end(group, to);
  onStep('switched');
}

async function hasSchema(pool: Pool, name: string): Promise<boolean> {
  const { rowCount } = await pool.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [name]);
  return rowCount === 1;
}

/**
 * Every commit of Chairside writes its id into one table, so that a trigger there stops all of them. Its
 * creation waits for the commits that are under way.
 */
async function fence(source: Pool, group: string): Promise<void> {
  const schema = escapeIdentifier(group);
  await inTransaction(source, async (client) => {
    await client.query(`CREATE OR REPLACE FUNCTION ${schema}.group_moves() RETURNS trigger
      LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'this shop group moves'; END $$`);
    await client.query(`CREATE OR REPLACE TRIGGER group_moves BEFORE INSERT ON
      ${schema}.chairside_commits FOR EACH STATEMENT EXECUTE FUNCTION ${schema}.group_moves()`);
  });
}

/** Copies all rows. No node uses the target yet, so an earlier attempt is dropped. */
async function copy(source: Pool, target: Pool, group: string): Promise<void> {
  await target.query(`DROP SCHEMA IF EXISTS ${escapeIdentifier(group)} CASCADE`);
  const opened = await openPostgresStore(target, { schema: group });
  if (opened.isErr()) throw new Error(opened.error.message);
  await opened.value.close();
  await inTransaction(source, (from) =>
    inTransaction(target, async (into) => {
      for (const table of await tablesOf(from, group)) {
        const name = `${escapeIdentifier(group)}.${escapeIdentifier(table)}`;
        await copyTable(from, into, name);
        const [was, is] = [await sumOf(from, name), await sumOf(into, name)];
        if (was !== is) throw new Error(`${table}: ${was} was read, ${is} arrived`);
      }
    }),
  );
}

async function tablesOf(client: PoolClient, group: string): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables
     WHERE schemaname = $1 AND tablename LIKE 'chairside\\_%' AND tablename <> ALL ($2)`,
    [group, left],
  );
  return rows.map(({ name }) => name);
}

/** Rows travel as text, so that no number is rounded. */
async function copyTable(from: PoolClient, into: PoolClient, name: string): Promise<void> {
  await from.query(`DECLARE moved CURSOR FOR SELECT row_to_json(t)::TEXT AS row FROM ${name} t`);
  for (;;) {
    const { rows } = await from.query<{ row: string }>(`FETCH ${rowsPerBatch} FROM moved`);
    if (rows.length === 0) break;
    await into.query(
      `INSERT INTO ${name} SELECT * FROM json_populate_recordset(NULL::${name}, $1)`,
      [`[${rows.map(({ row }) => row)}]`],
    );
  }
  await from.query('CLOSE moved');
}

/** The number of rows and the sum of their hashes, which does not depend on their order. */
async function sumOf(client: PoolClient, name: string): Promise<string> {
  const { rows } = await client.query<{ sum: string }>(
    `SELECT count(*) || ' rows, ' || coalesce(sum(hashtextextended(row_to_json(t)::TEXT, 0)), 0) AS sum
     FROM ${name} t`,
  );
  return rows[0]?.sum ?? '';
}

async function inTransaction(
  pool: Pool,
  work: (client: PoolClient) => Promise<void>,
): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await work(client);
    await client.query('COMMIT');
    client.release();
  } catch (error) {
    // A transaction that may be open must not return to the pool.
    client.release(true);
    throw error;
  }
}
