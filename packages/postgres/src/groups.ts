import { err, ok, type Result } from '@chairside/core';
import type { Pool } from 'pg';
import { type Failure, send } from './connection.ts';
import { isTransient } from './postgres-error.ts';
import { createQueue, type Limits } from './queue.ts';

export interface Grouping<Job> {
  readonly limits: Omit<Limits, 'longestWaitMs'>;
  /** One message for all of them, in order. A statement of it answers a column `answers`, as JSON. */
  readonly messageOf: (jobs: readonly Job[]) => string;
}

/** The server's answer to one job: absent where it has nothing to say of it. */
export type Answer = Result<unknown, Failure>;

/**
 * Sends jobs to a function of the server in groups, each group as one message. A message that the
 * server refuses for good, since it cannot read one of the jobs, is sent again job by job.
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

/** What the server says of each job, by its place. */
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
