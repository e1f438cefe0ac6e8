import type { Pool, PoolClient } from 'pg';
import { type Health, sendTogether, withConnection } from './connection.ts';

/** What one connection is sent at once at most: what stands behind waits for what is before it. */
const maxPipelined = 16;
/** More than this are refused: they could not be done before their callers give up. */
const maxWaiting = 10_000;

/** What is sent down a connection, and what comes of it. */
export interface Traffic<Job, Answer> {
  /** At most so many connections are used at once, where a connection can be sent several jobs. */
  readonly maxLanes: number;
  /** Never rejects. */
  carryOut(client: PoolClient, health: Health, job: Job): Promise<Answer>;
  /** The answer to what was never sent. */
  refused(error: unknown, refusal: Refusal): Answer;
}

export interface Refusal {
  readonly during: 'connect' | 'waiting';
  /** There may be room, or a connection, a little later. */
  readonly mayRetry: boolean;
}

interface Waiting<Job, Answer> {
  readonly job: Job;
  readonly since: number;
  readonly resolve: (answer: Answer) => void;
}

/** Carries a job out as soon as a connection is free. Never rejects. */
export type Lanes<Job, Answer> = (job: Job) => Promise<Answer>;

/**
 * Spreads jobs over connections. While there are more lanes than jobs, each job has a connection to
 * itself. When more wait than there are lanes, several are sent down each without waiting for
 * answers, in one packet. Each is still a transaction of its own, so that none fails or holds locks
 * for another.
 */
export function createLanes<Job, Answer>(
  pool: Pool,
  deadlineMs: number,
  { maxLanes, carryOut, refused }: Traffic<Job, Answer>,
): Lanes<Job, Answer> {
  const waiting: Waiting<Job, Answer>[] = [];
  let isPipelined = true;
  let lanes = 0;

  async function run(): Promise<void> {
    lanes += 1;
    while (waiting.length > 0) {
      // Given back after each round: others and the host wait for connections too.
      const used = await withConnection(pool, deadlineMs, async (client, health) => {
        isPipelined = client.pipeline;
        // On any other connection, statements of several jobs would get mixed.
        const batch = take(isPipelined ? maxPipelined : 1);
        sendTogether(client);
        await Promise.all(
          batch.map(async ({ job, resolve }) => resolve(await carryOut(client, health, job))),
        );
      });
      if (used.isErr()) {
        for (const { resolve } of [...take(maxPipelined), ...takeOverdue()]) {
          resolve(refused(used.error, { during: 'connect', mayRetry: true }));
        }
      }
    }
    lanes -= 1;
  }

  function take(most: number): readonly Waiting<Job, Answer>[] {
    const share = Math.ceil(waiting.length / lanes);
    return waiting.splice(0, Math.min(share, most));
  }

  /** What has waited for as long as it may: it is not to wait behind others that fail as well. */
  function takeOverdue(): readonly Waiting<Job, Answer>[] {
    const latest = performance.now() - deadlineMs;
    const inTime = waiting.findIndex(({ since }) => since > latest);
    return waiting.splice(0, inTime === -1 ? waiting.length : inTime);
  }

  return (job) =>
    new Promise((resolve) => {
      if (waiting.length >= maxWaiting) {
        const error = new Error('Too many calls wait');
        resolve(refused(error, { during: 'waiting', mayRetry: false }));
        return;
      }
      waiting.push({ job, since: performance.now(), resolve });
      if (lanes < (isPipelined ? maxLanes : pool.options.max)) void run();
    });
}
