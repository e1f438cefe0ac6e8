import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type EmbeddedServer, startEmbeddedServer } from '@chairside/embedded-postgres';
import { openPostgresStore } from '../src/index.ts';

/** A server that accepts no writes until `SELECT pg_promote()`, with an empty schema. */
export async function startStandby(): Promise<EmbeddedServer> {
  const server = (await startEmbeddedServer())._unsafeUnwrap();
  await (await openPostgresStore(server.connectionString))._unsafeUnwrap().close();
  await server.stop();
  writeFileSync(join(server.dataFolder, 'standby.signal'), '');
  (await server.start())._unsafeUnwrap();
  return server;
}
