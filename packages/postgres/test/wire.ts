import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { connectionString } from './helpers.ts';

/** Where a fault strikes: the request, or the reply message of this number. */
export type Point = 'request' | 'half of the request' | number;
/** The sender sees an end of the connection, or an error as a proxy sends it. */
export type Fault = 'cut' | 'error';

export interface Wire {
  readonly connectionString: string;
  /** Strikes once, at the next request that holds the marker. */
  strike(marker: string, point: Point, fault: Fault): void;
  /** How many reply messages the last marked request had. */
  replies(): number;
  /** Resolves when the server is done with what was struck. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** An error as PostgreSQL would send it: a byte for its kind, its length, and its fields. */
const fields = Buffer.from('SERROR\0C08006\0Mthe proxy lost its server\0\0');
const serverIsLost = Buffer.concat([Buffer.from('E\0\0\0'), Buffer.of(4 + fields.length), fields]);

/** Stands between a store and PostgreSQL, and knows one message of the protocol from the next. */
export async function openWire(): Promise<Wire> {
  const folder = mkdtempSync(join(tmpdir(), 'cs-wire-'));
  const { host, port, user, database, password } = new Client({ connectionString });
  const sockets = new Set<Socket>();
  let planned:
    | { readonly marker: string; readonly point: Point; readonly fault: Fault }
    | undefined;
  let replies = 0;
  let struck: Promise<unknown> = Promise.resolve();

  const server = createServer((client) => {
    const upstream = host.startsWith('/')
      ? connect(join(host, `.s.PGSQL.${port}`))
      : connect(port, host);
    let watched: { readonly point: Point; readonly fault: Fault } | undefined;
    let isStruck = false;
    let unread = Buffer.alloc(0);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
    }

    function fail(fault: Fault): void {
      isStruck = true;
      struck = once(upstream, 'close');
      if (fault === 'error') client.end(serverIsLost);
      else client.destroy();
      // The server finishes what it has, and then reads the end.
      upstream.end();
    }

    client.on('data', (data) => {
      if (isStruck) return;
      const plan = planned;
      if (plan === undefined || !data.includes(plan.marker)) {
        upstream.write(data);
        return;
      }
      planned = undefined;
      replies = 0;
      watched = plan;
      if (plan.point === 'half of the request') upstream.write(data.subarray(0, data.length / 2));
      else if (plan.point !== 'request') upstream.write(data);
      if (typeof plan.point === 'string') fail(plan.fault);
    });
    upstream.on('data', (data) => {
      if (watched === undefined) client.write(data);
      else readMessages(data, watched);
    });

    function readMessages(data: Buffer, { point, fault }: { point: Point; fault: Fault }): void {
      unread = Buffer.concat([unread, data]);
      while (unread.length >= 5 && unread.length > unread.readInt32BE(1)) {
        const length = 1 + unread.readInt32BE(1);
        if (!isStruck && replies === point) fail(fault);
        replies += 1;
        if (!isStruck) client.write(unread.subarray(0, length));
        unread = unread.subarray(length);
      }
    }

    client.on('close', () => {
      if (!isStruck) upstream.destroy();
    });
    upstream.on('close', () => client.destroy());
  });
  server.listen(join(folder, '.s.PGSQL.5432'));
  await once(server, 'listening');

  const account = `${user}:${encodeURIComponent(password ?? '')}`;
  return {
    connectionString: `postgresql://${account}@localhost/${database}?host=${encodeURIComponent(folder)}`,
    strike: (marker, point, fault) => {
      planned = { marker, point, fault };
    },
    replies: () => replies,
    settled: async () => {
      await struck;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      rmSync(folder, { recursive: true });
    },
  };
}
