import type { Client } from 'pg';

/** All tables except the counts of calls and the migration history. */
export async function tablesOf(client: Client, schema: string): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables
     WHERE table_schema = $1 AND table_name LIKE 'chairside\\_%' ORDER BY table_name`,
    [schema],
  );
  const own = ['chairside_migrations', 'chairside_rate_limits'];
  return rows.map(({ name }) => name).filter((name) => !own.includes(name));
}

export interface Column {
  readonly name: string;
  readonly type: string;
}

export async function columnsOf(
  client: Client,
  schema: string,
  table: string,
): Promise<readonly Column[]> {
  const { rows } = await client.query<Column>(
    `SELECT column_name AS name, data_type AS type FROM information_schema.columns
     WHERE table_schema = $1 AND table_name = $2 ORDER BY ordinal_position`,
    [schema, table],
  );
  return rows;
}
