import { err, ok, type Result } from '@chairside/core';
import type { CustomTypesConfig, Pool, PoolClient, QueryResult } from 'pg';
import type { Cell } from './cell.ts';
import { isEnded, notSupported, sqlState } from './postgres-error.ts';
import type { Statement, Statements } from './statements.ts';

/** A value per column, as the text that PostgreSQL sent. */
export type Row = Readonly<Record<string, string | null>>;

export type Reply = Result<QueryResult<Row>, unknown>;

export interface Query extends Statement {
  readonly cells: readonly Cell[];
}

/** As text, whatever a host has taught its copy of pg about dates and numbers. */
export const asText: CustomTypesConfig = { getTypeParser: () => (value: string) => value };

/**
 * Sends a transaction that may write, and answers its statements in order: the BEGIN, the leave to
 * write, those given, and the COMMIT. On a pipelined connection all go out at once and take one round
 * trip together; on any other, each waits for the one before it.
 */
export async function sendTransaction(
  client: PoolClient,
  health: Health,
  statements: Statements,
  queries: readonly Query[],
): Promise<readonly Reply[]> {
  const around = (name: 'begin' | 'allowWrites' | 'commit'): Query => ({
    ...statements[name],
    cells: [],
  });
  const replies = await exchange(client, [
    around('begin'),
    around('allowWrites'),
    ...queries,
    around('commit'),
  ]);
  if (replies.some((reply) => reply.isErr() && sqlState(reply.error) === notSupported)) {
    health.isStandby = true;
  }
  return replies;
}

async function exchange(client: PoolClient, queries: readonly Query[]): Promise<readonly Reply[]> {
  if (!client.pipeline) {
    const replies: Reply[] = [];
    for (const query of queries) {
      const reply = await ask(client, query);
      replies.push(reply);
      // The first begins the transaction. Without it, each of the others would be one of its own.
      if (reply.isErr() && (replies.length === 1 || !isEnded(reply.error))) break;
    }
    return replies;
  }
  sendTogether(client);
  return Promise.all(queries.map((query) => ask(client, query)));
}

/** What is sent in this turn is one packet, in place of one per statement. */
export function sendTogether(client: PoolClient): void {
  const { stream } = client.connection;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

/** Sends one statement. */
export async function ask(client: PoolClient, { name, text, cells }: Query): Promise<Reply> {
  try {
    return ok(await client.query<Row>({ name, text, values: [...cells], types: asText }));
  } catch (error) {
    closeUnlessEnded(client, error);
    return err(error);
  }
}

/**
 * Where nobody knows how a statement ended, the server may still be at it, in a transaction that
 * whoever had the connection next would find open.
 */
export function closeUnlessEnded(client: PoolClient, error: unknown): void {
  if (!isEnded(error)) client.connection.stream.destroy();
}

/** How a connection fared while it was used. */
export interface Health {
  /**
   * The server told that it gave up waiting for its standby. What was committed since is in its own
   * log, and may be in no other.
   */
  isReplicaBehind: boolean;
  /** It leads to a standby. A new one leads where the primary's name points by now. */
  isStandby: boolean;
}

/**
 * Takes a connection from the pool, for at most so long, and gives it back.
 * @param deadlineMs how long to wait for one, and how long it may be used if nothing else is said
 * @returns an error where none was to be had in that time: nothing was sent then.
 */
export async function withConnection<T>(
  pool: Pool,
  deadlineMs: number,
  use: (client: PoolClient, health: Health) => Promise<T>,
  longestUseMs: number = deadlineMs,
): Promise<Result<T, unknown>> {
  const connected = await connect(pool, deadlineMs);
  if (connected.isErr()) return err(connected.error);
  const client = connected.value;
  const health: Health = { isReplicaBehind: false, isStandby: false };
  let isBroken = false;
  // Whoever waits for an answer is told as well; without a listener, Node would end the process.
  const onError = () => {
    isBroken = true;
  };
  // Told by the place in the server that says it: its message may be in any language.
  const onNotice = ({ routine }: { readonly routine?: string | undefined }) => {
    if (routine === 'SyncRepWaitForLSN') health.isReplicaBehind = true;
  };
  // A connection that is silent for so long is as good as broken.
  const giveUp = setTimeout(() => {
    isBroken = true;
    client.connection.stream.destroy(new Error('PostgreSQL did not answer in time'));
  }, longestUseMs);
  client.on('error', onError);
  client.on('notice', onNotice);
  try {
    return ok(await use(client, health));
  } finally {
    clearTimeout(giveUp);
    client.off('error', onError);
    client.off('notice', onNotice);
    client.release(isBroken || health.isStandby || client.connection.stream.destroyed);
  }
}

async function connect(pool: Pool, deadlineMs: number): Promise<Result<PoolClient, unknown>> {
  let timer: NodeJS.Timeout | undefined;
  let isLate = false;
  const tooLate = new Promise<Result<PoolClient, unknown>>((resolve) => {
    timer = setTimeout(() => {
      isLate = true;
      resolve(err(new Error('No connection to PostgreSQL was free in time')));
    }, deadlineMs);
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
