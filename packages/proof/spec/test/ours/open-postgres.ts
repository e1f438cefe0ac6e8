import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { inject } from 'vitest';
import { createSchemas, type OwnSchema, type Schemas } from './postgres-schemas.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The Unix socket of this test run's PostgreSQL server. */
    readonly postgresServer: string;
  }
}

let schemas: Schemas | undefined;

/**
 * This run's server is removed with all its data; a developer's server stays, without our schemas.
 */
export async function dropSchemas(): Promise<void> {
  if (process.env['DATABASE_URL'] === undefined) return;
  const ours = schemas;
  schemas = undefined;
  await ours?.drop();
}

/** The developer's server, or the one of this test run. */
export async function postgresServer(): Promise<string> {
  return process.env['DATABASE_URL'] ?? (await text(connect(inject('postgresServer'))));
}

/** A store on a schema that no other world has. */
export async function openPostgres(): Promise<OwnSchema> {
  schemas ??= createSchemas(await postgresServer());
  return schemas.take();
}
