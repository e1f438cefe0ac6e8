import { err, ok, type Result } from '@chairside/core';
import type { CustomTypesConfig, Pool, PoolClient, QueryResult } from 'pg';
import { isUndone } from './postgres-error.ts';

/** Why a message has no reply. */
export interface Failure {
  readonly error: unknown;
  /** The server carried out no part of it, and never will. */
  readonly isUndone: boolean;
}

/** As text, whatever a host has taught its copy of pg about dates and numbers. */
export const asText: CustomTypesConfig = { getTypeParser: () => (value: string) => value };

/**
 * Sends one message of one or more statements: where one fails, the server carries out none of those
 * behind it. Prepares nothing, so that whoever shares the connection can take nothing away.
 * @returns the results of its statements
 */
export async function send(
  pool: Pool,
  deadlineMs: number,
  text: string,
): Promise<Result<readonly QueryResult[], Failure>> {
  const connected = await connect(pool, deadlineMs);
  if (connected.isErr()) return err({ error: connected.error, isUndone: true });
  const client = connected.value;
  let broken: unknown;
  // Who waits for the reply learns of it as well; without a listener, Node would end the process.
  const onError = (error: unknown) => {
    broken ??= error;
  };
  // Known by the place in the server that sends it: its message may be in any language.
  const onNotice = ({ routine }: { readonly routine?: string | undefined }) => {
    if (routine === 'SyncRepWaitForLSN')
      broken = new Error('PostgreSQL did not wait for its standby');
  };
  const giveUp = setTimeout(() => {
    client.connection.stream.destroy(new Error('PostgreSQL did not answer in time'));
  }, deadlineMs);
  client.on('error', onError);
  client.on('notice', onNotice);
  let results: readonly QueryResult[] = [];
  let undone = false;
  try {
    const replied: QueryResult | readonly QueryResult[] = await client.query({
      text,
      types: asText,
    });
    results = Array.isArray(replied) ? replied : [replied];
  } catch (error) {
    broken ??= error;
    undone = broken === error && isUndone(error);
  }
  clearTimeout(giveUp);
  client.off('error', onError);
  client.off('notice', onNotice);
  // What failed may have left a transaction open, or a setting that was not ours. A standby that
  // was the primary is left as well.
  client.release(broken !== undefined || client.getTransactionStatus() !== 'I');
  return broken === undefined ? ok(results) : err({ error: broken, isUndone: undone });
}

/**
 * A connection that is in no transaction: one that a host left open would take over what is sent.
 * Waits for at most so long.
 */
async function connect(pool: Pool, deadlineMs: number): Promise<Result<PoolClient, unknown>> {
  const latest = performance.now() + deadlineMs;
  for (;;) {
    const connected = await take(pool, latest - performance.now());
    if (connected.isErr()) return connected;
    const client = connected.value;
    if (client.getTransactionStatus() === 'I') return connected;
    client.release(true);
  }
}

async function take(pool: Pool, longestMs: number): Promise<Result<PoolClient, unknown>> {
  let timer: NodeJS.Timeout | undefined;
  let isLate = false;
  const tooLate = new Promise<Result<PoolClient, unknown>>((resolve) => {
    timer = setTimeout(() => {
      isLate = true;
      resolve(err(new Error('No connection to PostgreSQL was free in time')));
    }, longestMs);
  });
  const connected = open(pool).then((result) => {
    if (isLate && result.isOk()) result.value.release();
    return result;
  });
  const first = await Promise.race([connected, tooLate]);
  clearTimeout(timer);
  return first;
}

async function open(pool: Pool): Promise<Result<PoolClient, unknown>> {
  try {
    return ok(await pool.connect());
  } catch (error) {
    return err(error);
  }
}
