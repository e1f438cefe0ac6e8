import {
  type Commit,
  err,
  ok,
  type Result,
  type StoreConflict,
  type StoreUnavailable,
} from '@chairside/core';
import type { Pool } from 'pg';
import { type EncodedCommit, encodeCommit, encodeQuestion } from './encode.ts';
import { createGroups } from './groups.ts';
import { literalArray } from './literal.ts';
import { type Outcome, outcomeOf } from './outcome.ts';
import { withoutValues } from './postgres-error.ts';
import { createRetry, type Patience } from './retry.ts';
import { inSchema } from './schema.ts';

export const notApplied: StoreUnavailable = { kind: 'storeUnavailable', outcome: 'notApplied' };
export const unknown: StoreUnavailable = { kind: 'storeUnavailable', outcome: 'unknown' };

type Committed = Result<void, StoreConflict | StoreUnavailable>;

/** The maximum of uncertain ids, far more than the number of concurrent calls. */
const maxDoubtful = 20_000;
/** The server caches 64 sub-transactions; a group needs few more than one. */
const maxCommits = 60;
const maxCharacters = 1_000_000;
/** While one group waits for its flush, the next one runs. */
const maxGroups = 2;

export interface Committer {
  commit(commit: Commit): Promise<Committed>;
  /** Whether the commit with this id is durable. */
  wasCommitted(id: string): Promise<Result<boolean, StoreUnavailable>>;
}

/** Writes commits in groups, and retries those that may succeed later. */
export function createCommitter(
  pool: Pool,
  schema: string,
  patience: Patience,
  report: (error: unknown) => void,
): Committer {
  const { deadlineMs } = patience;
  // A commit on a locked row fails alone, before its whole group would time out.
  const lockMs = Math.ceil(deadlineMs / 3);
  const call = inSchema('@commit_v2', schema);
  const ask = createGroups<EncodedCommit>(pool, deadlineMs, {
    limits: { maxGroups, maxJobs: maxCommits, maxCharacters },
    messageOf: (commits) => {
      const turns = [...new Set(commits.flatMap(({ turns }) => turns))].sort((a, b) => a - b);
      // A standby rejects the BEGIN, and then runs none of the statements behind it.
      return `BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
SELECT ${call}(${literalArray(commits)}, '{${turns}}', ${lockMs}) AS answers;
COMMIT`;
    },
  });
  /** Commits that may still be written: they are running, or their last reply was lost. */
  const doubtful = new Set<string>();

  async function once(commit: EncodedCommit): Promise<Outcome> {
    return outcomeOf(await ask(commit), commit.kinds);
  }

  /**
   * After a lost reply, only "written" is certain. A server may still run an earlier attempt that
   * it has not read yet, so a conflict of a later attempt proves no outcome.
   */
  async function untilCertain(commit: EncodedCommit, wasDoubtful: boolean): Promise<Committed> {
    const again = createRetry(patience);
    let isDoubtful = wasDoubtful;
    do {
      const outcome = await once(commit);
      switch (outcome.kind) {
        case 'done':
        case 'found':
          return ok();
        case 'conflict':
          return err(isDoubtful ? unknown : { kind: 'storeConflict', change: outcome.change });
        case 'notApplied':
          report(withoutValues(outcome.error, outcome.during));
          if (!outcome.mayRetry) return err(isDoubtful ? unknown : notApplied);
          break;
        case 'unknown':
          report(withoutValues(outcome.error, 'commit'));
          isDoubtful = true;
      }
    } while (await again());
    return err(isDoubtful ? unknown : notApplied);
  }

  return {
    async commit(commit) {
      let encoded: EncodedCommit;
      try {
        encoded = encodeCommit(commit);
      } catch (error) {
        report(error);
        return err(notApplied);
      }
      const wasDoubtful = doubtful.has(commit.id);
      doubtful.add(commit.id);
      const committed = await untilCertain(encoded, wasDoubtful);
      if (committed.isOk() || committed.error !== unknown) doubtful.delete(commit.id);
      const [oldest] = doubtful;
      if (oldest !== undefined && doubtful.size > maxDoubtful) doubtful.delete(oldest);
      return committed;
    },

    async wasCommitted(id) {
      const wasDoubtful = doubtful.has(id);
      const again = createRetry(patience);
      do {
        const outcome = await once(encodeQuestion(id));
        if (outcome.kind === 'found') return ok(true);
        // A server that has not read it, or not finished it, may still apply it.
        if (outcome.kind === 'done') return wasDoubtful ? err(notApplied) : ok(false);
        if (outcome.kind === 'conflict') break;
        report(withoutValues(outcome.error, 'wasCommitted'));
        if (outcome.kind === 'notApplied' && !outcome.mayRetry) break;
      } while (await again());
      return err(notApplied);
    },
  };
}
