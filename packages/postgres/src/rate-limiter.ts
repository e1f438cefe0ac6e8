import { err, ok, type RateLimiter, ResultAsync } from '@chairside/core';
import type { Pool } from 'pg';
import { type Cell, toNumber } from './cell.ts';
import { type Query, type Row, sendTransaction, withConnection } from './connection.ts';
import { withoutValues } from './postgres-error.ts';
import type { StatementName, Statements } from './statements.ts';

/** One call in so many also sweeps up, so that windows which are over do not pile up. */
const callsPerSweep = 256;
const windowsPerSweep = 1024;

/**
 * Counts calls in fixed windows, for all nodes together. A call is one round trip; the counts are
 * not flushed, since after a crash they may begin anew. By the nodes' clocks, which should agree to
 * a second or so: one that is ahead begins and ends a window by so much too early.
 */
export function createRateLimiter(
  pool: Pool,
  statements: Statements,
  deadlineMs: number,
  report: (error: unknown) => void,
): RateLimiter {
  let calls = 0;

  /** `undefined`: it failed, and that was reported. */
  async function run(
    name: StatementName,
    cells: readonly Cell[],
  ): Promise<readonly Row[] | undefined> {
    const query = (of: StatementName, ...sent: readonly Cell[]): Query => ({
      ...statements[of],
      cells: sent,
    });
    const used = await withConnection(pool, deadlineMs, (client, health) =>
      sendTransaction(client, health, statements, [query('commitLazily'), query(name, ...cells)]),
    );
    const replies = used.isOk() ? used.value : [err(used.error)];
    for (const reply of replies) {
      if (reply.isErr()) {
        report(withoutValues(reply.error, name));
        return undefined;
      }
    }
    return replies[3]?.isOk() ? replies[3].value.rows : [];
  }

  return {
    take(policy, key, { limit, windowMs }, now) {
      calls += 1;
      if (calls % callsPerSweep === 0) void run('forgetLimits', [now, windowsPerSweep]);
      return ResultAsync.fromSafePromise(
        run('takeFromLimit', [policy, key, limit, now, windowMs]),
      ).andThen((rows) => {
        const row = rows?.[0];
        if (row === undefined) return err({ kind: 'limiterFailed' } as const);
        const taken = toNumber(row['taken'] ?? '');
        const resetsAt = toNumber(row['resets_at'] ?? '');
        const remaining = Math.max(0, limit - taken);
        return ok({ policy, limit, windowMs, remaining, resetsAt, allowed: taken <= limit });
      });
    },
  };
}
