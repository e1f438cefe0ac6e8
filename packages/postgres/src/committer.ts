import { err, type Result } from '@chairside/core';
import type { Commit, StoreUnavailable } from '@chairside/core/ports';
import { type Committed, createCertainty, type SearchOutcome } from '@chairside/core/storage';
import type { Pool } from 'pg';
import { callOf, chooseGroup } from './commit-group.ts';
import { type EncodedCommit, encodeCommit, encodeQuestion } from './encode.ts';
import { createGroups } from './groups.ts';
import { type Outcome, outcomeOf, type Refusal, refusalsOf } from './outcome.ts';
import { createRetry, type Patience } from './retry.ts';
import { inSchema } from './schema.ts';

export const notApplied: StoreUnavailable = { kind: 'storeUnavailable', outcome: 'notApplied' };

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
  const call = inSchema('@commit_v1', schema);
  const ask = createGroups<EncodedCommit, Refusal | undefined>(pool, deadlineMs, {
    limits: { maxGroups, maxJobs: maxCommits, maxCharacters },
    choose: chooseGroup,
    messageOf: (commits, access) => [
      { text: `BEGIN ISOLATION LEVEL READ COMMITTED${access}` },
      callOf(call, commits, lockMs),
      { text: 'COMMIT' },
    ],
    lastCommand: 'COMMIT',
    valuesOf: refusalsOf,
  });
  const certainty = createCertainty(() => createRetry(patience), report);

  async function once(commit: EncodedCommit): Promise<Outcome> {
    return outcomeOf(await ask(commit), commit.changes);
  }

  async function find(id: string): Promise<SearchOutcome> {
    const outcome = await once(encodeQuestion(id));
    switch (outcome.kind) {
      case 'found':
      case 'denied':
        return outcome;
      case 'notApplied':
      case 'unknown':
        return {
          ...outcome,
          kind: 'unavailable',
          mayRetry: outcome.kind === 'unknown' || outcome.mayRetry,
        };
      case 'written':
      case 'conflict':
        return {
          kind: 'unavailable',
          mayRetry: false,
          error: new Error('PostgreSQL sent an unexpected reply to a question'),
        };
    }
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
      return certainty.commit(commit.id, async () => {
        const outcome = await once(encoded);
        return outcome.kind === 'found' ? { kind: 'written' } : outcome;
      });
    },
    wasCommitted: (id) => certainty.wasCommitted(id, () => find(id)),
  };
}
