import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { connectionString } from './helpers.ts';

/** What becomes of a message that holds the marker. */
type Mishap =
  /** It arrives, and its answer does not. */
  | 'loseReply'
  /** It does not arrive. */
  | 'loseRequest'
  /** It does not arrive, and nobody says so. */
  | 'loseInSilence'
  /** The sender is cut off; it arrives when it is let go, if at all. */
  | 'delayRequest'
  /** It arrives. Its sender is told, as by a proxy, that the server was lost. */
  | 'disownServer';

export interface Network {
  readonly connectionString: string;
  /** How many packets went to the server so far. */
  requests(): number;
  /** Befalls the next message that holds the marker, once. */
  befall(marker: string, mishap: Mishap): void;
  /** Lets a delayed message arrive, and waits until all of it was carried out. */
  letGo(): Promise<void>;
  close(): Promise<void>;
}

/** An error as PostgreSQL would send it: a byte for its kind, its length, and its fields. */
const fields = Buffer.from('SFATAL\0C08006\0Mthe proxy lost its server\0\0');
const serverIsLost = Buffer.concat([Buffer.from('E\0\0\0'), Buffer.of(4 + fields.length), fields]);

/** A network between a store and PostgreSQL that can be made to fail at a chosen message. */
export async function startNetwork(): Promise<Network> {
  const folder = mkdtempSync(join(tmpdir(), 'cs-net-'));
  const sockets = new Set<Socket>();
  const { host, port, user, database, password } = new Client({ connectionString });
  let requests = 0;
  let planned: { readonly marker: string; readonly mishap: Mishap } | undefined;
  let delayed: { readonly upstream: Socket; readonly data: Buffer } | undefined;

  const server = createServer((client) => {
    const upstream = host.startsWith('/')
      ? connect(join(host, `.s.PGSQL.${port}`))
      : connect(port, host);
    let repliesAreLost = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
    }
    client.on('data', (data) => {
      requests += 1;
      if (planned === undefined || !data.includes(planned.marker)) {
        upstream.write(data);
        return;
      }
      const { mishap } = planned;
      planned = undefined;
      if (mishap === 'loseInSilence') return;
      repliesAreLost = true;
      if (mishap === 'loseReply') {
        upstream.write(data);
        return;
      }
      if (mishap === 'disownServer') {
        upstream.end(data);
        client.end(serverIsLost);
        return;
      }
      client.destroy();
      if (mishap === 'delayRequest') delayed = { upstream, data };
      else upstream.destroy();
    });
    upstream.on('data', (data) => {
      if (!repliesAreLost) client.write(data);
      else if (!client.writableEnded) client.destroy();
    });
    client.on('close', () => {
      if (!repliesAreLost) upstream.destroy();
    });
    upstream.on('close', () => client.destroy());
  });
  server.listen(join(folder, '.s.PGSQL.5432'));
  await once(server, 'listening');

  const account = `${user}:${encodeURIComponent(password ?? '')}`;
  return {
    connectionString: `postgresql://${account}@localhost/${database}?host=${encodeURIComponent(folder)}`,
    requests: () => requests,
    befall: (marker, mishap) => {
      planned = { marker, mishap };
    },
    letGo: async () => {
      if (delayed === undefined) throw new Error('Nothing was delayed');
      const { upstream, data } = delayed;
      // The server reads the end after all that came before it.
      upstream.end(data);
      upstream.resume();
      await once(upstream, 'close');
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      rmSync(folder, { recursive: true });
    },
  };
}
