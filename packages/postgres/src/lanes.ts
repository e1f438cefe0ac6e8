import type { Commit } from '@chairside/core';
import type { Pool } from 'pg';
import { withConnection } from './connection.ts';
import type { Statements } from './statements.ts';
import { type Outcome, write } from './writer.ts';

/** What one connection is sent at once at most: what stands behind waits for a lock before it. */
const maxPipelined = 16;
/** More than this are refused: they could not be written before their callers give up. */
const maxWaiting = 10_000;

interface Waiting {
  readonly commit: Commit;
  readonly resolve: (outcome: Outcome) => void;
}

export interface Lanes {
  /** Sends a commit once, as soon as a connection is free. Never rejects. */
  write(commit: Commit): Promise<Outcome>;
}

/**
 * Spreads commits over the pool's connections. While there are more connections than commits, each
 * has one to itself, and PostgreSQL shares one flush of its log among those that end together. When
 * more wait than there are connections, several are sent down each without waiting for answers:
 * still a transaction each, so that none fails or holds locks for another.
 */
export function createLanes(pool: Pool, statements: Statements, deadlineMs: number): Lanes {
  const waiting: Waiting[] = [];
  const maxLanes = Math.max(1, pool.options.max);
  let lanes = 0;

  async function run(): Promise<void> {
    lanes += 1;
    while (waiting.length > 0) {
      // Given back after each round: reads and the host wait for connections too.
      const used = await withConnection(pool, deadlineMs, async (client, health) => {
        // Elsewhere than on a pipelined connection, statements of several would get mixed.
        const batch = take(client.pipeline ? maxPipelined : 1);
        await Promise.all(
          batch.map(async ({ commit, resolve }) =>
            resolve(await write(client, health, statements, commit)),
          ),
        );
      });
      if (used.isErr()) {
        const { error } = used;
        for (const { resolve } of take(maxPipelined)) {
          resolve({ kind: 'notApplied', mayRetry: true, error, during: 'connect' });
        }
      }
    }
    lanes -= 1;
  }

  function take(most: number): readonly Waiting[] {
    const share = Math.ceil(waiting.length / lanes);
    return waiting.splice(0, Math.min(share, most));
  }

  return {
    write: (commit) =>
      new Promise((resolve) => {
        if (waiting.length >= maxWaiting) {
          const error = new Error('Too many commits wait');
          resolve({ kind: 'notApplied', mayRetry: false, error, during: 'waiting' });
          return;
        }
        waiting.push({ commit, resolve });
        if (lanes < maxLanes) void run();
      }),
  };
}
