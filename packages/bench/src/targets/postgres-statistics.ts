import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';

/** What the server has counted since it began. */
export interface Statistics {
  /** Each read is one, and each commit: so many round trips. */
  readonly transactions: number;
  /** How often its log was flushed to the disk. */
  readonly flushes: number;
}

/** Looked at so often, until nobody else is connected: a session's counts are told when it ends. */
const maxLooks = 500;

export async function statistics(connectionString: string): Promise<Statistics> {
  for (let looks = 1; looks <= maxLooks; looks += 1) {
    const { sessions, transactions, flushes } = await countIn(connectionString, {
      sessions: "count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'",
      transactions: 'xact_commit FROM pg_stat_database WHERE datname = current_database()',
      flushes: "sum(fsyncs) FROM pg_stat_io WHERE object = 'wal'",
    });
    if (sessions === 1) return { transactions, flushes };
    await delay(10);
  }
  throw new Error('the sessions never ended');
}

/** The numbers of these expressions, each with where it is taken from. */
export async function countIn<Name extends string>(
  connectionString: string,
  counts: Readonly<Record<Name, string>>,
): Promise<Record<Name, number>> {
  const client = new Client({ connectionString });
  await client.connect();
  const shown = Object.entries(counts).map(([name, sql]) => `(SELECT ${sql}) AS "${name}"`);
  const { rows } = await client.query<Record<Name, string | null>>(`SELECT ${shown}`);
  await client.end();
  const found = Object.entries<string | null>(rows[0] ?? {});
  // cast: the columns are named after the counts
  return Object.fromEntries(found.map(([name, count]) => [name, Number(count ?? 0)])) as Record<
    Name,
    number
  >;
}
