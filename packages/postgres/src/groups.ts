import { err, ok, type Result } from '@chairside/core';
import type { Pool } from 'pg';
import { type Failure, send } from './connection.ts';
import { isTransient } from './postgres-error.ts';
import { createQueue, type Limits } from './queue.ts';

export interface Grouping<Job> {
  readonly limits: Omit<Limits, 'longestWaitMs'>;
  /**
   * Builds one message for all jobs, in order. One of its statements returns a column `answers` as
   * JSON.
   */
  readonly messageOf: (jobs: readonly Job[]) => string;
}

/** The server's result for one job; absent if it has none. */
export type Answer = Result<unknown, Failure>;

/**
 * Sends jobs to a function of the server in groups, one message for each group. If the server
 * cannot parse one of the jobs, the message is sent again job by job.
 */
export function createGroups<Job extends { readonly text: string }>(
  pool: Pool,
  deadlineMs: number,
  { limits, messageOf }: Grouping<Job>,
): (job: Job) => Promise<Answer> {
  async function carryOut(jobs: readonly Job[]): Promise<readonly Answer[]> {
    const sent = await send(pool, deadlineMs, messageOf(jobs));
    if (sent.isOk()) {
      const answers = answersIn(sent.value);
      return jobs.map((_, index) => ok(answers[index]));
    }
    const failure = sent.error;
    if (jobs.length === 1 || !failure.isUndone || isTransient(failure.error)) {
      return jobs.map(() => err(failure));
    }
    const alone: Answer[] = [];
    for (const job of jobs) alone.push(...(await carryOut([job])));
    return alone;
  }

  const refused = (error: Error): Answer => err({ error, isUndone: true });
  return createQueue({ ...limits, longestWaitMs: deadlineMs }, carryOut, refused);
}

/** The server's result for each job, by place. */
type Answers = Readonly<Record<number, unknown>>;

function answersIn(results: readonly { readonly rows: readonly unknown[] }[]): Answers {
  for (const { rows } of results) {
    const row: unknown = rows[0];
    if (typeof row === 'object' && row !== null && 'answers' in row) {
      return JSON.parse(String(row.answers));
    }
  }
  return {};
}
