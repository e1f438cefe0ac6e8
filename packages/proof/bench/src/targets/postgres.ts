import { randomUUID } from 'node:crypto';
import { type EmbeddedServer, startEmbeddedServer } from '@chairside/embedded-postgres';
import { type Request, request } from '../load/request.ts';
import type { Counts, Kind, OverPostgres } from './over-postgres.ts';
import { byHand } from './postgres-by-hand.ts';
import { chairside } from './postgres-chairside.ts';
import { startNode } from './postgres-node.ts';
import { countIn, statistics } from './postgres-statistics.ts';
import { amount, amountMinor } from './shop.ts';
import { differences, type Served, type Setting } from './target.ts';

const kinds: Readonly<Record<Kind, OverPostgres>> = { byHand, grouped: byHand, chairside };

/**
 * Nodes over one PostgreSQL server, each a separate process. Every connection repeatedly opens a
 * payment and captures it, so half of the requests are creates and half are captures.
 */
export const openPostgres =
  (kind: Kind, nodeCount: number) =>
  async ({ wanted, profile }: Setting): Promise<Served> => {
    const { prepare, counts } = kinds[kind];
    const server = await start();
    const { connectionString } = server;
    // Half of the requests are captures, and a separate server is slower than embedded SQLite.
    const appointments = Array.from({ length: Math.ceil(wanted / 3) }, () => randomUUID());
    await prepare(connectionString, appointments);
    const before = await statistics(connectionString);
    const nodes = await Promise.all(
      Array.from({ length: nodeCount }, (_, index) =>
        startNode({ kind, connectionString, profile: profile && `${profile}.${index + 1}` }),
      ),
    );

    let finished: ReturnType<typeof finish> | undefined;
    /** Closes their connections first, because PostgreSQL counts a session's work when it ends. */
    async function finish() {
      const reports = await Promise.all(nodes.map((node) => node.finish()));
      const after = await statistics(connectionString);
      const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);
      return {
        cpuMicroseconds: sum(reports.map((report) => report.cpuMicroseconds)),
        takenMinor: sum(reports.map((report) => report.takenMinor)),
        flushes: after.flushes - before.flushes,
        transactions: after.transactions - before.transactions,
      };
    }
    const finishOnce = () => {
      finished ??= finish();
      return finished;
    };

    return {
      ports: nodes.map(({ port }) => port),
      requests: appointments.map(createRequest),
      repeats: false,
      commits: async () => (await finishOnce()).flushes,
      roundTrips: async () => (await finishOnce()).transactions,
      cpuMicroseconds: async () => (await finishOnce()).cpuMicroseconds,
      verify: async (answered) => {
        const { takenMinor } = await finishOnce();
        const pairs = answered / 2;
        const expected: Counts = {
          payments: pairs,
          captured: pairs,
          keys: 2 * pairs,
          events: 3 * pairs, // created, authorized and captured
          openPayments: 0,
          reservedMinor: 0,
          capturedMinor: pairs * amountMinor,
        };
        const found = await countIn(connectionString, counts);
        return differences(
          { ...found, takenMinor },
          { ...expected, takenMinor: pairs * amountMinor },
        );
      },
      close: () => server.remove(),
    };
  };

async function start(): Promise<EmbeddedServer> {
  const started = await startEmbeddedServer();
  if (started.isErr()) throw new Error(started.error.message);
  return started.value;
}

function createRequest(appointmentId: string): Request {
  return request({
    path: `/appointments/${appointmentId}/contactlessPayments`,
    token: 'ada',
    key: randomUUID(),
    body: JSON.stringify({ amount }),
    status: 201,
    holds: `"id":"${appointmentId}"`,
    captureAs: 'ada',
  });
}
