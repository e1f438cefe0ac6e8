import { err, ok, type Result, type StoreUnavailable } from '@chairside/core';
import type { Pool, PoolClient, QueryResult } from 'pg';
import type { Cell } from './cell.ts';
import {
  ask,
  type Health,
  type Query,
  type Reply,
  type Row,
  sendTransaction,
  withConnection,
} from './connection.ts';
import { createLanes } from './lanes.ts';
import { isTransient, withoutValues } from './postgres-error.ts';
import { createRetry, type Patience } from './retry.ts';
import type { StatementName, Statements } from './statements.ts';

type Asked = Promise<Result<QueryResult<Row>, StoreUnavailable>>;

export interface Reader {
  /** Sends a read, and repeats it where that may help. */
  read(statement: StatementName, cells: readonly Cell[]): Asked;
  /** Sends a write that may be repeated, and may wait: on a connection where nobody waits for it. */
  touch(statement: StatementName, cells: readonly Cell[]): Asked;
}

/** A read is short, so a few connections do for all: many share a packet, and the rest can write. */
const readLanes = 3;

export function createReader(
  pool: Pool,
  statements: Statements,
  patience: Patience,
  report: (error: unknown) => void,
): Reader {
  const { deadlineMs } = patience;

  async function carryOut(client: PoolClient, health: Health, query: Query): Promise<Reply> {
    const reply = await ask(client, query);
    if (health.isReplicaBehind) return err(notWaited());
    return reply;
  }

  const shared = createLanes<Query, Reply>(pool, deadlineMs, {
    maxLanes: Math.min(readLanes, pool.options.max),
    carryOut,
    refused: err,
  });

  /** In a transaction that says so: on its own, it may be refused where reading is the default. */
  async function writeAlone(query: Query): Promise<Reply> {
    const used = await withConnection(pool, deadlineMs, async (client, health) => {
      const replies = await sendTransaction(client, health, statements, [query]);
      if (health.isReplicaBehind) return err(notWaited());
      return replies.find((reply) => reply.isErr()) ?? replies[2] ?? err(new Error('Not sent'));
    });
    return used.andThen((reply) => reply);
  }

  /** Until it is answered, or it is of no use. */
  async function persist(
    sendOnce: (query: Query) => Promise<Reply>,
    statement: StatementName,
    cells: readonly Cell[],
  ): Asked {
    const query = { ...statements[statement], cells };
    const again = createRetry(patience);
    for (;;) {
      const reply = await sendOnce(query);
      if (reply.isOk()) return ok(reply.value);
      report(withoutValues(reply.error, statement));
      if (!isTransient(reply.error) || !(await again())) {
        return err({ kind: 'storeUnavailable', outcome: 'notApplied' });
      }
    }
  }

  return {
    read: (statement, cells) => persist(shared, statement, cells),
    touch: (statement, cells) => persist(writeAlone, statement, cells),
  };
}

function notWaited(): Error {
  return new Error('PostgreSQL did not wait for its standby');
}
