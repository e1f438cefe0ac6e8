import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';

/** The server's counts since its start. */
export interface Statistics {
  /** One for each read and for each commit, so it is the number of round trips. */
  readonly transactions: number;
  /** The number of flushes of its log to the disk. */
  readonly flushes: number;
}

/**
 * The maximum of checks until no other session is connected: a session reports its counts when it
 * ends.
 */
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

/** The values of these expressions, each with its table. */
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
