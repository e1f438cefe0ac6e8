import { functions } from './functions/functions.ts';
import { literal } from './literal.ts';
import { initial } from './migrations/0001-initial.ts';
import { sqlState, uniqueViolation } from './postgres-error.ts';
import { inSchema, quoted } from './schema.ts';

/** In order, from version 1. A released migration is never edited. */
const migrations: readonly string[] = [`${initial}${functions}`];

/** Sends one message of one or more statements, and rejects with PostgreSQL's error. */
export type Run = (text: string) => Promise<readonly Readonly<Record<string, string | null>>[]>;

/**
 * Brings the schema up to date. Each step is one message and one transaction. Many nodes may do it
 * at once: a step begins with inserting its version, which is unique. So one node applies it while
 * the others wait, and they then find it applied. An up-to-date schema needs no write and no right
 * to write.
 * @returns false if the schema is newer than this code; it is left unchanged.
 */
export async function migrate(run: Run, schema: string): Promise<boolean> {
  const version = await schemaVersion(run, schema);
  if (version === undefined) {
    await ensure(run, `CREATE SCHEMA IF NOT EXISTS ${quoted(schema)}`);
    await ensure(
      run,
      inSchema('CREATE TABLE IF NOT EXISTS @migrations (version BIGINT PRIMARY KEY)', schema),
    );
  }
  for (const [index, text] of migrations.entries()) {
    if ((version ?? 0) <= index) await step(run, schema, index + 1, text);
  }
  return isUpToDate(run, schema);
}

/** Only reads. */
export async function isUpToDate(run: Run, schema: string): Promise<boolean> {
  return (await schemaVersion(run, schema)) === migrations.length;
}

/** `IF NOT EXISTS` checks first and then writes, so concurrent calls may still fail. */
async function ensure(run: Run, text: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await run(text);
      return;
    } catch (error) {
      if (tries === 5 || !/^(23505|42P0[67]|42710|XX000)$/.test(sqlState(error) ?? '')) throw error;
    }
  }
}

async function step(run: Run, schema: string, version: number, text: string): Promise<void> {
  const insert = `INSERT INTO @migrations (version) VALUES (${version})`;
  try {
    await run(inSchema(`BEGIN; ${insert}; ${text}; COMMIT`, schema));
  } catch (error) {
    // Another node created it.
    if (sqlState(error) !== uniqueViolation) throw error;
  }
}

/** `undefined`: the schema is missing. */
async function schemaVersion(run: Run, schema: string): Promise<number | undefined> {
  const [found] = await run(
    `SELECT to_regclass(${literal(inSchema('@migrations', schema))}) AS migrations`,
  );
  if (found?.['migrations'] === null) return undefined;
  const [row] = await run(
    inSchema('SELECT coalesce(max(version), 0) AS version FROM @migrations', schema),
  );
  return Number(row?.['version'] ?? 0);
}
