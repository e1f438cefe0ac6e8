import { err, ok, type Result } from '@chairside/core';
import type { Pool } from 'pg';
import { type Failure, type Message, send } from './connection.ts';
import { leftReadOnly } from './functions/settings.ts';
import { isTransient, sqlState } from './postgres-error.ts';
import { createQueue, type Limits, type Sized } from './queue.ts';

export interface Grouping<Job, Value> {
  readonly limits: Omit<Limits, 'longestWaitMs'>;
  /** Chooses the jobs of the next group, the first one included. Default: all. */
  readonly choose?: (jobs: readonly Job[]) => readonly Job[];
  /**
   * Builds one message for all jobs, in order. One of its statements returns a column `answers` as
   * JSON. `access` stands behind its BEGIN, if it has one.
   */
  readonly messageOf: (jobs: readonly Job[], access: Access) => Message;
  /** The last statement. PostgreSQL replies ROLLBACK to the COMMIT of a failed transaction. */
  readonly lastCommand: 'COMMIT' | 'SELECT';
  /** Reads the `answers` to that many jobs; undefined if they have another shape. */
  readonly valuesOf: (answers: unknown, count: number) => readonly Value[] | undefined;
}

/** Empty: what the session allows. */
type Access = '' | ' READ WRITE';

/** The server's result for one job. */
export type Answer<Value> = Result<Value, Failure>;

/**
 * Sends jobs to a function of the server in groups, one message for each group. If the server
 * cannot parse one of the jobs, the message is sent again job by job.
 */
export function createGroups<Job extends Sized, Value>(
  pool: Pool,
  deadlineMs: number,
  { limits, choose, messageOf, lastCommand, valuesOf }: Grouping<Job, Value>,
): (job: Job) => Promise<Answer<Value>> {
  async function carryOut(
    jobs: readonly Job[],
    access: Access = '',
  ): Promise<readonly Answer<Value>[]> {
    // Absent results must not pass for "written" or "not found", so any other reply is a failure.
    const sent = await send(pool, deadlineMs, messageOf(jobs, access), (results) => {
      const isWhole = results.at(-1)?.command === lastCommand;
      const values = isWhole ? valuesOf(answersIn(results), jobs.length) : undefined;
      if (values === undefined) throw new Error('PostgreSQL sent an unexpected reply');
      return values;
    });
    if (sent.isOk()) return sent.value.map((value) => ok(value));
    const failure = sent.error;
    if (access === '' && sqlState(failure.error) === leftReadOnly) {
      return carryOut(jobs, ' READ WRITE');
    }
    if (jobs.length === 1 || !failure.isUndone || isTransient(failure.error)) {
      return jobs.map(() => err(failure));
    }
    const alone: Answer<Value>[] = [];
    for (const job of jobs) alone.push(...(await carryOut([job], access)));
    return alone;
  }

  const failed = (error: unknown, isUndone: boolean) => err({ error, isUndone });
  const begin = (jobs: readonly Job[]) => carryOut(jobs);
  return createQueue({ ...limits, longestWaitMs: deadlineMs }, begin, failed, choose);
}

/** Throws a SyntaxError for invalid JSON. */
function answersIn(results: readonly { readonly rows: readonly unknown[] }[]): unknown {
  const [row] = results.flatMap(({ rows }) => rows);
  const hasAnswers = typeof row === 'object' && row !== null && 'answers' in row;
  return hasAnswers && typeof row.answers === 'string' ? JSON.parse(row.answers) : undefined;
}
