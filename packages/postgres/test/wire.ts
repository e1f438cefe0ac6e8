import { join } from 'node:path';
import { openProxy, type ServerProxy } from '@chairside/testkit/proxy';
import { Client } from 'pg';
import { connectionString as testServer } from './helpers.ts';

export interface Wire extends ServerProxy {
  readonly connectionString: string;
}

/** A proxy between a store and PostgreSQL that knows the protocol's messages. */
export async function openWire(connectionString: string = testServer): Promise<Wire> {
  const { host, port, user, database, password } = new Client({ connectionString });
  const proxy = await openProxy({
    to: host.startsWith('/') ? { path: join(host, `.s.PGSQL.${port}`) } : { host, port },
    socketName: '.s.PGSQL.5432',
    // A byte for the kind, then the length without that byte.
    replyLength: (unread) => (unread.length < 5 ? undefined : 1 + unread.readInt32BE(1)),
  });
  const account = `${user}:${encodeURIComponent(password ?? '')}`;
  const folder = encodeURIComponent(proxy.socketFolder ?? '');
  return {
    ...proxy,
    connectionString: `postgresql://${account}@localhost/${database}?host=${folder}`,
  };
}

/** An error as PostgreSQL sends it: a byte for its kind, its length, and its fields. */
export function serverIsLost(severity: 'ERROR' | 'FATAL'): Uint8Array {
  const fields = Buffer.from(`S${severity}\0C08006\0Mthe proxy lost its server\0\0`);
  return Buffer.concat([Buffer.from('E\0\0\0'), Buffer.of(4 + fields.length), fields]);
}
