import {
  type Commit,
  err,
  ok,
  type Result,
  type StoreConflict,
  type StoreUnavailable,
} from '@chairside/core';
import type { Lanes } from './lanes.ts';
import { withoutValues } from './postgres-error.ts';
import type { Reader } from './reader.ts';
import { createRetry, type Patience } from './retry.ts';
import type { Outcome } from './writer.ts';

export const notApplied: StoreUnavailable = { kind: 'storeUnavailable', outcome: 'notApplied' };
export const unknown: StoreUnavailable = { kind: 'storeUnavailable', outcome: 'unknown' };

/**
 * Writes a commit, and tries again what may succeed then. A lost answer is never guessed: the
 * commit is sent again under its id, which either finds that it was written or takes its place.
 * Once an answer was lost, only "written" is certain: an attempt that the network swallowed may
 * yet be carried out by a server that has not read it, so a conflict of a later one says nothing.
 * @param wasDoubtful whether an answer to this commit was lost in an earlier call
 */
export async function commitUntilCertain(
  write: Lanes<Commit, Outcome>,
  reader: Reader,
  patience: Patience,
  report: (error: unknown) => void,
  commit: Commit,
  wasDoubtful: boolean,
): Promise<Result<void, StoreConflict | StoreUnavailable>> {
  const again = createRetry(patience);
  let isDoubtful = wasDoubtful;
  do {
    const outcome = await write(commit);
    switch (outcome.kind) {
      case 'written':
        return ok();
      case 'writtenBefore': {
        const isThere = await wasCommitted(reader, commit.id);
        if (isThere.isOk() && isThere.value) return ok();
        isDoubtful = true;
        break;
      }
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

/**
 * Whether a commit is there to stay. It is found by a write and not by a read: a commit whose wait
 * for the standby was broken off can be seen, and be lost with the primary all the same; a write
 * behind it in the log waits for the standby itself.
 */
export async function wasCommitted(
  reader: Reader,
  id: string,
): Promise<Result<boolean, StoreUnavailable>> {
  const touched = await reader.touch('touchCommit', [id]);
  return touched.map(({ rowCount }) => rowCount === 1);
}
