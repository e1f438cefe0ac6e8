import { setTimeout as delay } from 'node:timers/promises';
import { err, ok, type Result } from '@chairside/core';
import { type CustomTypesConfig, type Pool, type PoolClient, Query, type QueryResult } from 'pg';
import { abandonedOf } from './abandoned.ts';
import { isOfValues, isUndone, sqlState } from './postgres-error.ts';

/** Why a message has no reply. */
export interface Failure {
  readonly error: unknown;
  /** The server executed no part of it, and never will. */
  readonly isUndone: boolean;
}

/** With its parameters, which the server keeps apart from the text that it logs. */
export interface Statement {
  readonly text: string;
  readonly values?: string[];
}

/** A text of one or more statements, or statements with parameters. */
export type Message = string | readonly Statement[];

const longestCancelMs = 1000;
const longestReplyMs = 100;

/** As text, independent of the type parsers in a host's copy of pg. */
export const asText: CustomTypesConfig = { getTypeParser: () => (value: string) => value };

/**
 * Sends one message of one or more statements. After a failed statement the server runs none of the
 * later ones. It names no statement, so other users of the connection cannot drop one.
 * @param read reads the results of its statements. If it throws, the connection is closed: its
 * replies may belong to other messages.
 * @param then a second message on the same connection, if the first one succeeded.
 */
export async function send<Reply>(
  pool: Pool,
  deadlineMs: number,
  message: Message,
  read: (results: readonly QueryResult[]) => Reply,
  then?: string,
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
  let isGivenUp = false;
  const giveUp = setTimeout(async () => {
    isGivenUp = true;
    await cancel(pool, client, deadlineMs);
    client.connection.stream.destroy(new Error('PostgreSQL did not answer in time'));
  }, deadlineMs);
  client.on('error', onError);
  client.on('notice', onNotice);
  let sent: Result<Reply, unknown>;
  let isSilent = false;
  try {
    const results = await query(client, message).catch((error: unknown) => {
      isSilent = sqlState(error) === undefined;
      throw error;
    });
    if (then !== undefined) await query(client, then);
    sent = ok(read(results));
  } catch (error) {
    sent = err(error);
    broken ??= error;
  }
  clearTimeout(giveUp);
  // The host's own time limit ends a query here, and not at the server.
  if (isSilent && !isGivenUp && !client.connection.stream.destroyed) {
    await cancel(pool, client, deadlineMs);
  }
  if (isSilent) abandonedOf(pool).add(client, deadlineMs);
  client.off('error', onError);
  client.off('notice', onNotice);
  // A failed message may have left a transaction or a setting behind. A standby that was the
  // primary is disconnected too. A cancel request may reach the connection's next message.
  // An error about a value says nothing of the session: a caller must not be able to close it.
  const isSpoilt = broken !== undefined && !isOfValues(broken);
  client.release(isGivenUp || isSpoilt || client.getTransactionStatus() !== 'I');
  if (sent.isOk() && broken === undefined) return ok(sent.value);
  return err({
    error: broken,
    isUndone: sent.isErr() && sent.error === broken && isUndone(broken),
  });
}

/** Makes the server give up as well. Its reply to that is waited for, because it is certain. */
async function cancel(pool: Pool, client: PoolClient, deadlineMs: number): Promise<void> {
  await abandonedOf(pool).cancel(client, Math.min(deadlineMs, longestCancelMs));
  await delay(Math.min(deadlineMs, longestReplyMs));
}

/** The results of pg's own promises would stay in memory until a full garbage collection. */
function query(client: PoolClient, message: Message): Promise<readonly QueryResult[]> {
  return new Promise((resolve, reject) => {
    const done = (error: Error | undefined, replied: QueryResult | readonly QueryResult[]) => {
      if (!error) resolve(Array.isArray(replied) ? replied : [replied]);
      else if (isOfValues(error)) afterReply(client, () => reject(error));
      else reject(error);
    };
    if (typeof message === 'string') client.query({ text: message, types: asText }, done);
    else client.query(together(client, message, done));
  });
}

/** The state of the transaction is told behind an error, at the end of the reply. */
function afterReply({ connection }: PoolClient, then: () => void): void {
  const ended = () => {
    connection.off('readyForQuery', ended);
    connection.stream.off('close', ended);
    then();
  };
  connection.on('readyForQuery', ended);
  connection.stream.on('close', ended);
}

/**
 * Sends the statements at once. They have one end (`Sync`): after one that fails, the server skips
 * the others, as it does within a text. Each is unnamed, so that nothing is kept on the connection.
 */
function together(
  client: PoolClient,
  statements: readonly Statement[],
  done: (error: Error | undefined, replied: QueryResult | readonly QueryResult[]) => void,
): Query {
  const own: unknown = Reflect.get(client.constructor, 'Query');
  // pg refuses the class of another copy on a pipelined connection.
  const OwnQuery = isQueryClass(own) ? own : Query;
  const text = statements.map((statement) => statement.text).join('; ');
  const query = new OwnQuery({ text, types: asText }, done);
  query.submit = (connection) => {
    // Absent on some runtimes.
    connection.stream.cork?.();
    for (const { text, values } of statements) {
      connection.parse({ name: '', text, types: [] }, true);
      connection.bind({ values }, true);
      if (values !== undefined) connection.describe({ type: 'P', name: '' }, true);
      connection.execute({}, true);
    }
    connection.sync();
    connection.stream.uncork?.();
  };
  return query;
}

function isQueryClass(value: unknown): value is typeof Query {
  return typeof value === 'function';
}

/**
 * Gets a connection without a transaction: a transaction that a host left open would include our
 * statements. The wait ends at the deadline.
 */
async function connect(pool: Pool, deadlineMs: number): Promise<Result<PoolClient, unknown>> {
  const latest = performance.now() + deadlineMs;
  const abandoned = abandonedOf(pool);
  if (abandoned.isFull()) await abandoned.ask(deadlineMs);
  if (abandoned.isFull()) {
    return err(new Error('Too many sessions that were given up are still busy at PostgreSQL'));
  }
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
