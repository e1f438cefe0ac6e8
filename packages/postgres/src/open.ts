import { err, ok, type Result, ResultAsync } from '@chairside/core';
import {
  type Read,
  type StoreAbout,
  type StoreUnavailable,
  tell,
  toTimeoutMs,
  unknownOption,
} from '@chairside/core/ports';
import type { Migration } from '@chairside/core/storage';
import { Pool, type PoolClient } from 'pg';
import { abandonedOf } from './abandoned.ts';
import { send } from './connection.ts';
import { migrate, type Run, released, stateOf } from './migrate.ts';
import { messageOf, sqlState, uniqueViolation } from './postgres-error.ts';
import { type Missing, missingOf, missingRight, type PostgresOpenFailure } from './requirements.ts';
import { createRetry, type Patience } from './retry.ts';
import { inSchema } from './schema.ts';
import { createStore, type PostgresStore } from './store.ts';

export interface PostgresStoreOptions {
  /** The schema of the tables, created if it is missing. Default: `chairside`. */
  readonly schema?: string | undefined;
  /**
   * The maximum of connections of this node, if the pool is created here; a host's pool has its own
   * limit. Default: 10.
   */
  readonly maxConnections?: number | undefined;
  /** The maximum of attempts for a call that may succeed later. Default: 8. */
  readonly maxAttempts?: number | undefined;
  /**
   * The maximum silence of PostgreSQL before a connection counts as broken; no further attempt
   * begins after it. Default: 5,000.
   */
  readonly deadlineMs?: number | undefined;
  /**
   * `providedByService`: a server with `fsync = off` is accepted, because the service makes its log durable
   * elsewhere, as Neon does. `onError` then says so at each opening. Never set it for a server whose
   * commits reach only its own disk. Default: `fromServer`.
   */
  readonly durability?: 'fromServer' | 'providedByService' | undefined;
  /**
   * Receives PostgreSQL's errors, including lost connections and deadlocks that were retried. The
   * port's errors say only that the store is unavailable; PostgreSQL's error gives the reason. It holds
   * no stored values.
   */
  readonly onError?: ((error: unknown) => void) | undefined;
}

const optionNames: Readonly<Record<keyof PostgresStoreOptions, true>> = {
  schema: true,
  maxConnections: true,
  maxAttempts: true,
  deadlineMs: true,
  durability: true,
  onError: true,
};

export interface PostgresOpenError {
  readonly kind: 'postgresOpenError';
  readonly reason: PostgresOpenFailure;
  /** For a person. */
  readonly message: string;
}

/** A step may build an index over all rows, and is silent meanwhile. */
const longestMigrationMs = 60 * 60_000;

/**
 * Opens the store and brings its schema up to date. Any number of nodes may do so at once.
 *
 * @param poolOrConnectionString the host's own pool, which stays open on `close()`, or a connection
 * string. The store names no statements, so PgBouncer may stand in between.
 */
export function openPostgresStore(
  poolOrConnectionString: Pool | string,
  options: PostgresStoreOptions = {},
): ResultAsync<PostgresStore, PostgresOpenError> {
  return openWith(released, poolOrConnectionString, options);
}

/** As a version that knows these migrations opens it. */
export function openWith(
  known: readonly Migration[],
  poolOrConnectionString: Pool | string,
  options: PostgresStoreOptions,
): ResultAsync<PostgresStore, PostgresOpenError> {
  const opened = open(known, poolOrConnectionString, options);
  return new ResultAsync(opened).mapErr(({ reason, why }) => ({
    kind: 'postgresOpenError',
    reason,
    message: why,
  }));
}

async function open(
  known: readonly Migration[],
  poolOrConnectionString: Pool | string,
  options: PostgresStoreOptions,
): Promise<Result<PostgresStore, Missing>> {
  const unknown = unknownOption(options, optionNames);
  if (unknown !== undefined) return err({ reason: 'unknownOption', why: unknown });
  const { schema = 'chairside', maxAttempts = 8, onError } = options;
  const deadlineMs = toTimeoutMs(options.deadlineMs, 5000);
  // Hosts without types may pass another value, such as a missing setting.
  if (
    typeof poolOrConnectionString !== 'string' &&
    typeof poolOrConnectionString?.connect !== 'function'
  ) {
    return err({ reason: 'unreachable', why: 'No pool or connection string was given' });
  }
  const bytes = Buffer.byteLength(schema);
  if (bytes === 0 || bytes > 63 || schema.includes('\0')) {
    return err({
      reason: 'invalidSchemaName',
      why: 'The name of the schema must have 1 to 63 bytes',
    });
  }
  const report = (error: unknown) => tell(onError, error);
  const ownsPool = typeof poolOrConnectionString === 'string';
  const pool = ownsPool
    ? connectTo(poolOrConnectionString, options.maxConnections ?? 10, deadlineMs)
    : poolOrConnectionString;
  // A broken idle connection emits `error`, which ends the process without a listener.
  pool.on('error', report);
  pool.on('connect', listenAlways);

  const letGo = () => {
    abandonedOf(pool).close();
    // `end` resolves before the sockets of our pool are closed, so one may still report an error.
    if (ownsPool) return;
    pool.off('error', report);
    pool.off('connect', listenAlways);
  };

  const allowsFsyncOff = options.durability === 'providedByService';
  if (allowsFsyncOff) report(new Error('fsync is not checked: durability is providedByService'));
  const prepared = await prepare(pool, {
    ...{ schema, known, allowsFsyncOff, maxAttempts, deadlineMs, report },
  });
  if (prepared.isErr()) {
    letGo();
    if (ownsPool) await pool.end();
    return err(prepared.error);
  }
  const store = createStore(pool, schema, { ownsPool, maxAttempts, deadlineMs, report });
  return ok({
    ...store,
    about: () => aboutServer(runOn(pool, deadlineMs), schema, allowsFsyncOff),
    close: () => store.close().finally(letGo),
  });
}

/**
 * A session may end with its first packet, before the caller can add a listener. An `error` event
 * without a listener ends the process.
 */
function listenAlways(client: PoolClient): void {
  client.on('error', () => {});
}

function connectTo(connectionString: string, max: number, deadlineMs: number): Pool {
  return new Pool({
    connectionString,
    max,
    keepAlive: true,
    connectionTimeoutMillis: deadlineMs,
    fallback_application_name: 'chairside',
  });
}

interface Wanted extends Patience {
  readonly schema: string;
  readonly known: readonly Migration[];
  readonly allowsFsyncOff: boolean;
  readonly report: (error: unknown) => void;
}

async function prepare(pool: Pool, wanted: Wanted): Promise<Result<void, Missing>> {
  const again = createRetry(wanted);
  for (;;) {
    try {
      return await setUp(pool, wanted);
    } catch (error) {
      if (!mayPass(error) || !(await again())) return err(failureOf(error));
    }
  }
}

/** It rejects with PostgreSQL's error, or its time-out. */
function runOn(pool: Pool, longestMs: number): Run {
  return async (text, then) => {
    const sent = await send(pool, longestMs, text, (results) => results.at(-1)?.rows ?? [], then);
    if (sent.isErr()) throw sent.error.error;
    return sent.value;
  };
}

/** Throws PostgreSQL's error, or its time-out. */
async function setUp(pool: Pool, wanted: Wanted): Promise<Result<void, Missing>> {
  const { schema, known, allowsFsyncOff, deadlineMs, report } = wanted;
  const run = runOn(pool, deadlineMs);
  const missing = await missingOf(run, allowsFsyncOff);
  if (missing !== undefined) return err(missing);
  let state = await stateOf(run, schema, known);
  if (state.kind === 'behind') {
    state = await migrate(runOn(pool, longestMigrationMs), schema, known, report);
  }
  if (state.kind === 'refused') {
    return err({ reason: state.reason, why: `The schema ${schema} is refused: ${state.why}` });
  }
  const forbidden = await missingRight(run, schema, namesIn(known));
  return forbidden === undefined ? ok() : err(forbidden);
}

/** The tables and functions of these migrations. */
function namesIn(known: readonly Migration[]): readonly string[] {
  const created = /(?:TABLE IF NOT EXISTS|FUNCTION) @(\w+)/g;
  return known.flatMap(({ text }) =>
    [...text.matchAll(created)].map(([, name]) => `chairside_${name}`),
  );
}

/** Nodes that create the same schema at once conflict in PostgreSQL's own catalogs. */
function mayPass(error: unknown): boolean {
  const state = sqlState(error);
  return (
    state === uniqueViolation ||
    /^(40|53300|57P0|42P0[67]|XX000)/.test(state ?? '') ||
    (state === undefined && /terminated|ECONNRESET/.test(messageOf(error)))
  );
}

function failureOf(error: unknown): Missing {
  const why = messageOf(error);
  const state = sqlState(error);
  if (state === undefined || /^(08|57P)/.test(state)) return { reason: 'unreachable', why };
  if (/^(28|42501|3D)/.test(state)) return { reason: 'forbidden', why };
  if (state === '25006') return { reason: 'readOnly', why };
  if (state === '57014') {
    const advice = 'a statement_timeout ended it; let the account that migrates have none';
    return { reason: 'failed', why: `${why}: ${advice}` };
  }
  return { reason: 'failed', why };
}

/** What the server is now: its settings may have changed since the store was opened. */
function aboutServer(run: Run, schema: string, allowsFsyncOff: boolean): Read<StoreAbout> {
  return ResultAsync.fromPromise(
    readAbout(run, schema, allowsFsyncOff),
    (cause): StoreUnavailable => ({ kind: 'storeUnavailable', outcome: 'notApplied', cause }),
  );
}

const durable = ['synchronous_commit', 'fsync'];

async function readAbout(run: Run, schema: string, allowsFsyncOff: boolean): Promise<StoreAbout> {
  const shown = ['server_version', ...durable].map(
    (name) => `current_setting('${name}', TRUE) AS ${name}`,
  );
  const [row = {}] = await run(
    inSchema(`SELECT ${shown}, (SELECT max(version)::TEXT FROM @migrations) AS schema`, schema),
  );
  const missing = await missingOf(run, allowsFsyncOff);
  const settings = durable.flatMap((name) => {
    const value = row[name];
    return value === null || value === undefined ? [] : [[name, value] as const];
  });
  return {
    product: `PostgreSQL ${row['server_version'] ?? ''}`.trim(),
    schemaVersion: Number(row['schema']),
    settings: Object.fromEntries(settings),
    ...(missing !== undefined && { fault: missing.why }),
  };
}
