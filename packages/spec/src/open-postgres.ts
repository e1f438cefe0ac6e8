import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { inject } from 'vitest';
import { createSchemas, type OwnSchema, type Schemas } from './postgres-schemas.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** A Unix socket that answers where the PostgreSQL server of this test run is. */
    readonly postgresServer: string;
  }
}

let schemas: Schemas | undefined;

/** The server of this test run goes with all that is in it; a developer's stays, without them. */
export async function dropSchemas(): Promise<void> {
  if (process.env['DATABASE_URL'] === undefined) return;
  const ours = schemas;
  schemas = undefined;
  await ours?.drop();
}

/** A server of the developer's, or the one of this test run. */
export async function postgresServer(): Promise<string> {
  return process.env['DATABASE_URL'] ?? (await text(connect(inject('postgresServer'))));
}

/** A store on a schema that no other world has. */
export async function openPostgres(): Promise<OwnSchema> {
  schemas ??= createSchemas(await postgresServer());
  return schemas.take();
}
