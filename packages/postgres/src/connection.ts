import { err, ok, type Result } from '@chairside/core';
import type { CustomTypesConfig, Pool, PoolClient, QueryResult } from 'pg';
import { isUndone } from './postgres-error.ts';

/** Why a message has no reply. */
export interface Failure {
  readonly error: unknown;
  /** The server executed no part of it, and never will. */
  readonly isUndone: boolean;
}

/** As text, independent of the type parsers in a host's copy of pg. */
export const asText: CustomTypesConfig = { getTypeParser: () => (value: string) => value };

/**
 * Sends one message of one or more statements. After a failed statement the server runs none of the
 * later ones. It prepares no statement, so other users of the connection cannot drop one.
 * @param read reads the results of its statements. If it throws, the connection is closed: its
 * replies may belong to other messages.
 */
export async function send<Reply>(
  pool: Pool,
  deadlineMs: number,
  text: string,
  read: (results: readonly QueryResult[]) => Reply,
): Promise<Result<Reply, Failure>> {
  const connected = await connect(pool, deadlineMs);
  if (connected.isErr()) return err({ error: connected.error, isUndone: true });
  const client = connected.value;
  let broken: unknown;
  // The waiting caller receives the error too. Without a listener, Node would end the process.
  const onError = (error: unknown) => {
    broken ??= error;
  };
  // Identified by the server's routine, because the message may be in any language.
  const onNotice = ({ routine }: { readonly routine?: string | undefined }) => {
    if (routine === 'SyncRepWaitForLSN')
      broken = new Error('PostgreSQL did not wait for its standby');
  };
  const giveUp = setTimeout(() => {
    client.connection.stream.destroy(new Error('PostgreSQL did not answer in time'));
  }, deadlineMs);
  client.on('error', onError);
  client.on('notice', onNotice);
  let sent: Result<Reply, unknown>;
  try {
    sent = ok(read(await query(client, text)));
  } catch (error) {
    sent = err(error);
    broken ??= error;
  }
  clearTimeout(giveUp);
  client.off('error', onError);
  client.off('notice', onNotice);
  // A failed message may have left a transaction or a setting behind. A standby that was the
  // primary is disconnected too.
  client.release(broken !== undefined || client.getTransactionStatus() !== 'I');
  if (sent.isOk() && broken === undefined) return ok(sent.value);
  return err({
    error: broken,
    isUndone: sent.isErr() && sent.error === broken && isUndone(broken),
  });
}

/** The results of pg's own promises would stay in memory until a full garbage collection (D161). */
function query(client: PoolClient, text: string): Promise<readonly QueryResult[]> {
  return new Promise((resolve, reject) => {
    client.query(
      { text, types: asText },
      (error: Error | undefined, replied: QueryResult | readonly QueryResult[]) =>
        error ? reject(error) : resolve(Array.isArray(replied) ? replied : [replied]),
    );
  });
}

/**
 * Gets a connection without a transaction: a transaction that a host left open would include our
 * statements. The wait ends at the deadline.
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
