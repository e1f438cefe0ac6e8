import { err, ok, type Result, ResultAsync, tell, toTimeoutMs } from '@chairside/core';
import { Pool, type PoolClient } from 'pg';
import { asText, closeUnlessEnded, withConnection } from './connection.ts';
import { isUpToDate, migrate, type Run } from './migrate.ts';
import { messageOf, sqlState, uniqueViolation } from './postgres-error.ts';
import { createRetry } from './retry.ts';
import { statementsIn } from './statements.ts';
import { createStore, type PostgresStore } from './store.ts';

export interface PostgresStoreOptions {
  /** The schema that holds the tables. It is made if it is not there. Default `chairside`. */
  readonly schema?: string | undefined;
  /**
   * How many connections this node may have, where the pool is made here; a host's pool has its
   * own number. Default 10.
   */
  readonly maxConnections?: number | undefined;
  /** How often a call is tried that may succeed later. Default 8. */
  readonly maxAttempts?: number | undefined;
  /**
   * How long PostgreSQL may be silent before a connection counts as broken, and after which no
   * further attempt is begun. Default 5,000.
   */
  readonly deadlineMs?: number | undefined;
  /**
   * Is told of what PostgreSQL could not do, a lost connection or a deadlock that was tried again
   * included. The port's answers say only that the store is unavailable; this says why. Holds no
   * stored values.
   */
  readonly onError?: ((error: unknown) => void) | undefined;
}

export type PostgresOpenFailure =
  /** Nothing answers there, or not in time; or nobody said where. */
  | 'unreachable'
  /** The account may not log in, or may not make or use the tables. */
  | 'forbidden'
  /** It takes no writes: a standby. */
  | 'readOnly'
  /** Written by a later version of this package; nothing was touched. */
  | 'newerSchema'
  /** It is set up so that what it acknowledged can be lost. */
  | 'notDurable'
  /** Its encoding is not UTF-8. */
  | 'notUtf8'
  /** The name of the schema is empty or too long. */
  | 'invalidSchemaName'
  | 'failed';

export interface PostgresOpenError {
  readonly kind: 'postgresOpenError';
  readonly reason: PostgresOpenFailure;
  /** For a person. */
  readonly message: string;
}

interface Failure {
  readonly reason: PostgresOpenFailure;
  readonly why: string;
}

/** A step may build an index over all there is, and says nothing meanwhile. */
const longestMigrationMs = 60 * 60_000;

/**
 * Opens the store and brings its schema up to date. Any number of nodes may do so at once.
 *
 * @param poolOrConnectionString the host's own pool, which stays open on `close()`, or where to
 * connect. Give your pool `pipeline: true`: else each connection carries one commit at a time.
 */
export function openPostgresStore(
  poolOrConnectionString: Pool | string,
  options: PostgresStoreOptions = {},
): ResultAsync<PostgresStore, PostgresOpenError> {
  return new ResultAsync(open(poolOrConnectionString, options)).mapErr(({ reason, why }) => ({
    kind: 'postgresOpenError',
    reason,
    message: why,
  }));
}

async function open(
  poolOrConnectionString: Pool | string,
  options: PostgresStoreOptions,
): Promise<Result<PostgresStore, Failure>> {
  const { schema = 'chairside', maxAttempts = 8, onError } = options;
  const deadlineMs = toTimeoutMs(options.deadlineMs, 5000);
  // A host without types may give neither, such as a setting that is not there.
  if (
    typeof poolOrConnectionString !== 'string' &&
    typeof poolOrConnectionString?.connect !== 'function'
  ) {
    return err({ reason: 'unreachable', why: 'No pool or connection string was given' });
  }
  const bytes = Buffer.byteLength(schema);
  if (bytes === 0 || bytes > 63 || schema.includes('\0')) {
    return err({ reason: 'invalidSchemaName', why: 'The name of the schema has 1 to 63 bytes' });
  }
  const report = (error: unknown) => tell(onError, error);
  const ownsPool = typeof poolOrConnectionString === 'string';
  const pool = ownsPool
    ? connectTo(poolOrConnectionString, options.maxConnections ?? 10, deadlineMs)
    : poolOrConnectionString;
  // An idle connection that breaks is an `error` event, which ends the process if nobody listens.
  pool.on('error', report);
  pool.on('connect', listenAlways);

  const letGo = () => {
    pool.off('error', report);
    pool.off('connect', listenAlways);
  };

  const prepared = await prepare(pool, schema, { maxAttempts, deadlineMs });
  if (prepared.isErr()) {
    letGo();
    if (ownsPool) await pool.end();
    return err(prepared.error);
  }
  const store = createStore(pool, statementsIn(schema), {
    ownsPool,
    maxAttempts,
    deadlineMs,
    report,
  });
  return ok({
    ...store,
    close: () => store.close().finally(letGo),
  });
}

/**
 * A session may be ended in the packet that greets it, before whoever asked for it can listen: an
 * `error` event that nobody hears ends the process.
 */
function listenAlways(client: PoolClient): void {
  client.on('error', () => {});
}

function connectTo(connectionString: string, max: number, deadlineMs: number): Pool {
  return new Pool({
    connectionString,
    max,
    pipeline: true,
    keepAlive: true,
    connectionTimeoutMillis: deadlineMs,
    // A node that dies in the middle of a transaction holds no locks for longer.
    idle_in_transaction_session_timeout: toTimeoutMs(2 * deadlineMs, deadlineMs),
    fallback_application_name: 'chairside',
  });
}

async function prepare(
  pool: Pool,
  schema: string,
  patience: { readonly maxAttempts: number; readonly deadlineMs: number },
): Promise<Result<void, Failure>> {
  const again = createRetry(patience);
  for (;;) {
    try {
      return await setUp(pool, schema, patience.deadlineMs);
    } catch (error) {
      if (!mayPass(error) || !(await again())) return err(failureOf(error));
    }
  }
}

/** Throws what PostgreSQL answers, or that it does not. */
async function setUp(
  pool: Pool,
  schema: string,
  deadlineMs: number,
): Promise<Result<void, Failure>> {
  const looked = await withConnection(pool, deadlineMs, async (client) => ({
    refused: await refusedSetting(client),
    isDone: await isUpToDate(runOn(client), schema),
  }));
  if (looked.isErr()) throw looked.error;
  const { refused, isDone } = looked.value;
  if (refused !== undefined) return err(refused);
  if (isDone) return ok();
  const migrated = await withConnection(
    pool,
    deadlineMs,
    (client) => migrate(runOn(client), schema),
    longestMigrationMs,
  );
  if (migrated.isErr()) throw migrated.error;
  return migrated.value
    ? ok()
    : err({ reason: 'newerSchema', why: 'A later version wrote the schema' });
}

function runOn(client: PoolClient): Run {
  return async (text, values) => {
    try {
      return await client.query({ text, types: asText, ...(values && { values: [...values] }) });
    } catch (error) {
      closeUnlessEnded(client, error);
      throw error;
    }
  };
}

/** Settings that a database does not have are not held against it. */
async function refusedSetting(client: PoolClient): Promise<Failure | undefined> {
  const { rows } = await client.query<Record<string, string | null>>({
    types: asText,
    text: `SELECT current_setting('synchronous_commit', TRUE) AS synchronous_commit,
      current_setting('client_min_messages', TRUE) AS client_min_messages,
      current_setting('fsync', TRUE) AS fsync,
      current_setting('server_encoding', TRUE) AS server_encoding`,
  });
  const { synchronous_commit, client_min_messages, fsync, server_encoding } = rows[0] ?? {};
  if (/^(off|local|remote_write)$/.test(synchronous_commit ?? '')) {
    return {
      reason: 'notDurable',
      why: `synchronous_commit is ${synchronous_commit}: the latest commits can be lost`,
    };
  }
  if (/^(error|fatal|panic)$/.test(client_min_messages ?? '')) {
    return {
      reason: 'notDurable',
      why: `client_min_messages is ${client_min_messages}: PostgreSQL could not say that it gave up waiting for its standby`,
    };
  }
  if (fsync === 'off') {
    return { reason: 'notDurable', why: 'fsync is off: all records can be lost' };
  }
  if (!/^utf-?8$/i.test(server_encoding ?? 'UTF8')) {
    return { reason: 'notUtf8', why: `The database's encoding is ${server_encoding}` };
  }
  return undefined;
}

/** Nodes that make the same schema in the same moment meet in PostgreSQL's own catalogs. */
function mayPass(error: unknown): boolean {
  const state = sqlState(error);
  return (
    state === uniqueViolation ||
    /^(40|57P0|42P0[67]|XX000)/.test(state ?? '') ||
    (state === undefined && /terminated|ECONNRESET/.test(messageOf(error)))
  );
}

function failureOf(error: unknown): Failure {
  const why = messageOf(error);
  const state = sqlState(error);
  if (state === undefined || /^(08|57P)/.test(state)) return { reason: 'unreachable', why };
  if (/^(28|42501|3D)/.test(state)) return { reason: 'forbidden', why };
  if (state === '25006') return { reason: 'readOnly', why };
  return { reason: 'failed', why };
}
