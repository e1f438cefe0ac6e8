import type { Result } from '@chairside/core';
import type { Change, Commit, StoreUnavailable } from '@chairside/core/ports';
import type { Certainty, CommitOutcome, Committed, SearchOutcome } from '@chairside/core/storage';

/** How the id of a commit was found. */
type Remembered = 'new' | 'written' | 'denied';

/** A store's `commit` and `wasCommitted`. */
export interface Commits {
  commit(commit: Commit): Promise<Committed>;
  wasCommitted(id: string): Promise<Result<boolean, StoreUnavailable>>;
}

/** How a database carries out one transaction. A step that fails rejects or throws. */
export interface CommitSteps<Transaction> {
  /** Begins a transaction that may write. */
  begin(): Transaction | Promise<Transaction>;
  /**
   * Writes the id of the commit, and returns `new`. If the id is there, it returns how it was written.
   * If another open transaction has written it, this waits for the end of that transaction, as a
   * unique key does.
   */
  remember(
    transaction: Transaction,
    commit: Pick<Commit, 'id' | 'at'>,
  ): Remembered | Promise<Remembered>;
  /**
   * Writes the id as denied, unless it is there; it waits as `remember` does. Returns whether the
   * commit was written.
   */
  deny(transaction: Transaction, id: string): boolean | Promise<boolean>;
  /** Applies one change, its condition in the same statement. False if the condition failed. */
  apply(transaction: Transaction, change: Change): boolean | Promise<boolean>;
  /** Resolves when the transaction is durable. */
  commit(transaction: Transaction): void | Promise<void>;
  /** Undoes the transaction, or ends its connection, which has the same effect. */
  rollback(transaction: Transaction): void | Promise<void>;
  /** Whether the same transaction may succeed later: a deadlock, a busy or lost database. */
  mayRetry(error: unknown): boolean;
  /** Whether COMMIT failed with this error only after the database had undone everything. */
  wasUndone?(error: unknown): boolean;
}

/**
 * Commits by one transaction, and derives the outcome from the step that failed. Before COMMIT is sent,
 * no change is written. A COMMIT that fails or gets no reply may have run. It is `unknown` until a later
 * attempt finds or writes the id. A question writes the id too, so that a late attempt is not applied.
 */
export function commitWith<Transaction>(
  steps: CommitSteps<Transaction>,
  certainty: Certainty,
): Commits {
  async function undo(transaction: Transaction): Promise<void> {
    try {
      await steps.rollback(transaction);
    } catch {
      // The connection is lost, and the database drops its uncommitted changes.
    }
  }

  /** Returns the change whose condition failed; `undefined` if all were applied. */
  async function apply(
    transaction: Transaction,
    commit: Commit,
  ): Promise<Change | 'denied' | undefined> {
    const found = await steps.remember(transaction, commit);
    if (found === 'denied') return found;
    // A known commit is not applied again. It is still committed below, because the transaction that
    // wrote its id may be visible before it is durable.
    if (found === 'written') return undefined;
    for (const change of commit.changes) {
      if (!(await steps.apply(transaction, change))) return change;
    }
    return undefined;
  }

  async function attempt(commit: Commit): Promise<CommitOutcome> {
    let transaction: Transaction;
    try {
      transaction = await steps.begin();
    } catch (error) {
      return { kind: 'notApplied', mayRetry: steps.mayRetry(error), error };
    }
    try {
      const failed = await apply(transaction, commit);
      if (failed !== undefined) {
        await undo(transaction);
        return failed === 'denied' ? { kind: 'denied' } : { kind: 'conflict', change: failed.kind };
      }
    } catch (error) {
      await undo(transaction);
      return { kind: 'notApplied', mayRetry: steps.mayRetry(error), error };
    }
    try {
      await steps.commit(transaction);
      return { kind: 'written' };
    } catch (error) {
      await undo(transaction);
      if (steps.wasUndone?.(error) !== true) return { kind: 'unknown', error };
      return { kind: 'notApplied', mayRetry: steps.mayRetry(error), error };
    }
  }

  async function ask(id: string): Promise<SearchOutcome> {
    let transaction: Transaction;
    try {
      transaction = await steps.begin();
    } catch (error) {
      return { kind: 'unavailable', mayRetry: steps.mayRetry(error), error };
    }
    try {
      const isWritten = await steps.deny(transaction, id);
      await steps.commit(transaction);
      return { kind: isWritten ? 'found' : 'denied' };
    } catch (error) {
      await undo(transaction);
      return { kind: 'unavailable', mayRetry: steps.mayRetry(error), error };
    }
  }

  return {
    commit: (commit) => certainty.commit(commit.id, () => attempt(commit)),
    wasCommitted: (id) => certainty.wasCommitted(id, () => ask(id)),
  };
}
