import { type EmbeddedServer, startEmbeddedServer } from '@chairside/embedded-postgres';

/** Starts a server for this store if it needs one and none is given. The threads use it as well. */
export async function serverOf(store: string): Promise<EmbeddedServer | undefined> {
  if (store !== 'postgres' || process.env['DATABASE_URL'] !== undefined) return undefined;
  const started = await startEmbeddedServer();
  if (started.isErr()) throw new Error(started.error.message);
  process.env['DATABASE_URL'] = started.value.connectionString;
  return started.value;
}
