import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { startEmbeddedServer } from '@chairside/embedded-postgres';
import { Client } from 'pg';
import { startChild } from '../child.ts';
import type { Span } from '../load.ts';
import { amountMinor, createRequest } from '../request.ts';
import type { Counts } from './over-postgres.ts';
import { type NodeReport, type NodeTask, services } from './postgres-node.ts';
import { differences, type Served, type Setting } from './target.ts';

/**
 * Nodes over one PostgreSQL server, each a separate process. Every connection repeatedly opens a
 * payment and captures it, so half of the requests are creates and half are captures.
 */
export const openPostgres =
  (kind: NodeTask['kind'], nodeCount: number) =>
  async ({ wanted, profile }: Setting): Promise<Served> => {
    const { prepare, counts } = services[kind];
    const started = await startEmbeddedServer();
    if (started.isErr()) throw new Error(started.error.message);
    const { connectionString, remove } = started.value;
    // Half of the requests are captures, and a separate server is slower than embedded SQLite.
    const appointmentIds = Array.from({ length: Math.ceil(wanted / 3) }, () => randomUUID());
    await prepare(connectionString, appointmentIds);
    const before = await statistics(connectionString);
    const nodes = await Promise.all(
      Array.from({ length: nodeCount }, (_, index) =>
        startNode({ kind, connectionString, profile: profile && `${profile}.${index + 1}` }),
      ),
    );

    return {
      ports: nodes.map(({ port }) => port),
      requests: appointmentIds.map((id) => ({ ...createRequest(id), isCaptured: true })),
      repeats: false,
      async finish({ answered, measured }) {
        const reports = await Promise.all(nodes.map((node) => node.finish(measured)));
        // After the nodes have ended, because PostgreSQL counts a session's work when it ends.
        const after = await statistics(connectionString);
        const sum = (name: keyof NodeReport) =>
          reports.reduce((all, report) => all + report[name], 0);
        const found = await countIn(connectionString, counts);
        return {
          commits: after.flushes - before.flushes,
          roundTrips: after.transactions - before.transactions,
          cpuMicrosecondsASecond: sum('cpuMicrosecondsASecond'),
          faults: differences(
            { ...found, takenMinor: sum('takenMinor') },
            expectedCounts(answered / 2),
          ),
        };
      },
      close: remove,
    };
  };

function expectedCounts(pairs: number): Counts & { readonly takenMinor: number } {
  return {
    payments: pairs,
    captured: pairs,
    keys: 2 * pairs,
    events: 3 * pairs, // created, authorized and captured
    openPayments: 0,
    reservedMinor: 0,
    capturedMinor: pairs * amountMinor,
    takenMinor: pairs * amountMinor,
  };
}

/** One of several stateless processes that serve over a database. */
async function startNode(task: NodeTask) {
  // From the sources, so that a benchmark and a test run the same code.
  const execArgv = ['--conditions=@chairside/source'];
  const child = startChild(new URL('postgres-node-process.ts', import.meta.url), execArgv);
  return {
    port: await child.ask<number>(task),
    async finish(measured: Span): Promise<NodeReport> {
      const report = await child.ask<NodeReport>({ measured });
      child.stop();
      return report;
    },
  };
}

/** The maximum of checks until the sessions have ended, which report their counts at their end. */
const maxChecks = 500;

/** The server's counts since its start. */
async function statistics(connectionString: string) {
  for (let checks = 1; checks <= maxChecks; checks += 1) {
    const { sessions, ...counts } = await countIn(connectionString, {
      sessions: "count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'",
      // One for each read and for each commit, so it is the number of round trips.
      transactions: 'xact_commit FROM pg_stat_database WHERE datname = current_database()',
      /** Of its log to the disk. */
      flushes: "sum(fsyncs) FROM pg_stat_io WHERE object = 'wal'",
    });
    if (sessions === 1) return counts;
    await delay(10);
  }
  throw new Error('The sessions did not end.');
}

/** The values of these expressions, each with its table. */
async function countIn<Name extends string>(
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
