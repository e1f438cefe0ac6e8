import { setTimeout as delay } from 'node:timers/promises';
import { appliedOf, judgeSchema, type Migration, type SchemaState } from '@chairside/core/storage';
import { functions } from './functions/functions.ts';
import { literal } from './literal.ts';
import { initial } from './migrations/0001-initial.ts';
import { sqlState, uniqueViolation } from './postgres-error.ts';
import { inSchema, quoted } from './schema.ts';

/** In order, from version 1. A released migration is never edited. */
export const released: readonly Migration[] = [
  { text: `${initial}${functions}`, oldestVersion: 1 },
];

/**
 * A statement that waits for a lock has all later ones of its table behind it. So it waits briefly,
 * and lets them pass before it tries again.
 */
const lockMs = 300;
const pauseMs = 1000;
/** Somebody may read a table for as long, such as `pg_dump`. */
const longestWaitMs = 60 * 60_000;
const tellEveryMs = 10_000;

/** Sends messages of one or more statements in order, and rejects with PostgreSQL's error. */
export type Run = (
  text: string,
  then?: string,
) => Promise<readonly Readonly<Record<string, string | null>>[]>;

/**
 * Brings the schema up to date. Each step is one transaction. Many nodes may do it at once: a step
 * begins with inserting its version, which is unique. So one node applies it while the others wait,
 * and they then find it applied. An up-to-date schema needs no write and no right to write.
 * @param report is told what takes long.
 * @returns the state of the schema after that. A refused schema is unchanged.
 */
export async function migrate(
  run: Run,
  schema: string,
  known: readonly Migration[],
  report: (error: unknown) => void,
): Promise<SchemaState> {
  for (;;) {
    const state = await stateOf(run, schema, known);
    const migration = state.kind === 'behind' ? known[state.version] : undefined;
    if (state.kind !== 'behind' || migration === undefined) return state;
    if (state.version === 0) await prepare(run, schema);
    await step(run, schema, state.version + 1, migration, report);
  }
}

/** Only reads. */
export async function stateOf(
  run: Run,
  schema: string,
  known: readonly Migration[],
): Promise<SchemaState> {
  const [found] = await run(
    `SELECT to_regclass(${literal(inSchema('@migrations', schema))}) AS migrations`,
  );
  if (found?.['migrations'] === null) return judgeSchema(known, []);
  return judgeSchema(known, await run(inSchema('SELECT * FROM @migrations', schema)));
}

async function prepare(run: Run, schema: string): Promise<void> {
  // `IF NOT EXISTS` wants the right to create schemas, also where the schema exists.
  const [found] = await run(
    `SELECT 1 AS found FROM pg_namespace WHERE nspname = ${literal(schema)}`,
  );
  if (found === undefined) await ensure(run, `CREATE SCHEMA IF NOT EXISTS ${quoted(schema)}`);
  const columns = 'version BIGINT PRIMARY KEY, hash TEXT NOT NULL, oldest_version BIGINT NOT NULL';
  await ensure(run, inSchema(`CREATE TABLE IF NOT EXISTS @migrations (${columns})`, schema));
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

/** Applies it, unless another node has. */
async function step(
  run: Run,
  schema: string,
  version: number,
  migration: Migration,
  report: (error: unknown) => void,
): Promise<void> {
  const begunAt = performance.now();
  const elapsedMs = () => performance.now() - begunAt;
  let waitsForLock = false;
  const telling = setInterval(() => {
    const why = waitsForLock
      ? 'it waits for another session, such as pg_dump or a node that migrates, and tries again'
      : 'it is running';
    const seconds = Math.round(elapsedMs() / 1000);
    report(new Error(`Migration ${version} has taken ${seconds} s: ${why}`));
  }, tellEveryMs);
  const { hash, oldest_version: oldest } = appliedOf(version, migration);
  const text = inSchema(
    `BEGIN; SET LOCAL lock_timeout = ${lockMs}; ${endsWithProcess};
INSERT INTO @migrations (version, hash, oldest_version)
VALUES (${version}, ${literal(hash)}, ${oldest}); ${migration.text}`,
    schema,
  );
  try {
    for (;;) {
      try {
        // The process itself commits: one that was killed meanwhile leaves the schema as it was.
        await run(text, 'COMMIT');
        return;
      } catch (error) {
        const state = sqlState(error) ?? '';
        if (state === uniqueViolation) return;
        waitsForLock = /^(55P03|40P01)$/.test(state);
        if (!waitsForLock || elapsedMs() > longestWaitMs) throw error;
      }
      await delay(pauseMs * (1 + Math.random()));
    }
  } finally {
    clearInterval(telling);
  }
}

/** The server looks for the client also while it works, where its system allows that. */
const endsWithProcess = `DO $do$ BEGIN
  PERFORM set_config('client_connection_check_interval', '1000', TRUE);
EXCEPTION WHEN OTHERS THEN NULL; END $do$`;
