import { err, ok, type Result, type StoreUnavailable } from '@chairside/core';
import type { Pool, QueryResult } from 'pg';
import type { Cell } from './cell.ts';
import { ask, type Reply, type Row, withConnection } from './connection.ts';
import { isTransient, withoutValues } from './postgres-error.ts';
import { createRetry, type Patience } from './retry.ts';
import type { StatementName, Statements } from './statements.ts';

export interface Reader {
  /** Sends one statement that may be repeated, and repeats it where that may help. */
  ask(
    statement: StatementName,
    cells: readonly Cell[],
  ): Promise<Result<QueryResult<Row>, StoreUnavailable>>;
}

export function createReader(
  pool: Pool,
  statements: Statements,
  patience: Patience,
  report: (error: unknown) => void,
): Reader {
  async function askOnce(statement: StatementName, cells: readonly Cell[]): Promise<Reply> {
    const used = await withConnection(pool, patience.deadlineMs, async (client, health) => {
      const reply = await ask(client, { ...statements[statement], cells });
      if (health.isReplicaBehind) return err(new Error('PostgreSQL did not wait for its standby'));
      return reply;
    });
    return used.andThen((reply) => reply);
  }

  return {
    async ask(statement, cells) {
      const again = createRetry(patience);
      for (;;) {
        const reply = await askOnce(statement, cells);
        if (reply.isOk()) return ok(reply.value);
        report(withoutValues(reply.error, statement));
        if (!isTransient(reply.error) || !(await again())) {
          return err({ kind: 'storeUnavailable', outcome: 'notApplied' });
        }
      }
    },
  };
}
