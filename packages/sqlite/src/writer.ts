import {
  type Commit,
  err,
  ok,
  type Result,
  type StoreConflict,
  type StoreUnavailable,
} from '@chairside/core';
import type { Database } from 'better-sqlite3';
import { apply } from './apply.ts';
import { isBusy } from './sqlite-error.ts';
import type { Statements } from './statements.ts';
import { SqliteStoreFailed } from './store-failed.ts';

export type Answer = Result<void, StoreConflict | StoreUnavailable>;

export const notApplied: StoreUnavailable = { kind: 'storeUnavailable', outcome: 'notApplied' };
export const unknown: StoreUnavailable = { kind: 'storeUnavailable', outcome: 'unknown' };

/** A commit, or the id of one that is not to be applied unless it is written already. */
export type Entry = Commit | Denial;

interface Denial {
  readonly denied: string;
}

export interface Writer {
  /**
   * Writes all commits in one transaction, with one result for each, in order. `busy`: another
   * connection holds the write lock, and no commit was applied.
   */
  write(commits: readonly Entry[]): readonly Answer[] | 'busy';
  /**
   * A COMMIT failed. Its changes may be on the disk and appear after reopening, so all reads and
   * writes are refused until then.
   */
  readonly hasFailed: () => boolean;
}

export function createWriter(
  db: Database,
  statements: Statements,
  on: {
    /** Whether the disk accepts another transaction. */
    readonly hasRoom: () => boolean;
    /** Must not throw, because the commits have succeeded. */
    readonly committed: () => void;
    /** Receives SQLite's errors, and once the error that ends all reading and writing. */
    readonly error: (error: unknown) => void;
  },
): Writer {
  let hasFailed = false;

  function write(commits: readonly Entry[]): readonly Answer[] | 'busy' {
    const allAnswer = (answer: StoreUnavailable) => commits.map(() => err(answer));
    if (hasFailed || !on.hasRoom()) return allAnswer(notApplied);
    try {
      statements.beginWrite.run();
    } catch (error) {
      if (isBusy(error)) return 'busy';
      on.error(error);
      return allAnswer(notApplied);
    }
    let answers: readonly Answer[] | 'busy';
    try {
      answers = applyTogether(commits) ? commits.map(() => ok()) : applyApart(commits);
    } catch (error) {
      on.error(error);
      rollBack();
      return allAnswer(notApplied);
    }
    if (answers === 'busy') return answers;
    try {
      statements.commit.run();
    } catch (error) {
      fail('COMMIT', error);
      rollBack();
      return allAnswer(unknown);
    }
    on.committed();
    return answers;
  }

  /**
   * Usually every commit of a batch applies, so this saves a savepoint for each.
   * @returns whether all were applied; otherwise the transaction must begin again.
   */
  function applyTogether(commits: readonly Entry[]): boolean {
    try {
      return commits.every((commit) => applyAll(commit) === undefined);
    } catch {
      return false; // It will throw again, and be reported, when it runs alone.
    }
  }

  /** Applies each commit in a separate savepoint. Throws if the whole transaction is lost. */
  function applyApart(commits: readonly Entry[]): readonly Answer[] | 'busy' {
    if (db.inTransaction) statements.rollback.run();
    try {
      statements.beginWrite.run();
    } catch (error) {
      if (isBusy(error)) return 'busy';
      throw error;
    }
    return commits.map(applyOne);
  }

  function applyOne(commit: Entry): Answer {
    statements.savepoint.run();
    try {
      const failed = applyAll(commit);
      if (failed !== undefined) {
        statements.rollbackTo.run();
        statements.release.run();
        return err(failed);
      }
      statements.release.run();
      return ok();
    } catch (error) {
      // For some errors (a full disk) SQLite rolls back the whole transaction.
      if (!db.inTransaction) throw error;
      on.error(error);
      statements.rollbackTo.run();
      statements.release.run();
      return err(notApplied);
    }
  }

  function applyAll(commit: Entry): StoreConflict | StoreUnavailable | undefined {
    if ('denied' in commit) {
      statements.denyCommit.run(commit.denied);
      return undefined;
    }
    const isNew = statements.insertCommit.run(commit.id, commit.at).changes === 1;
    if (!isNew)
      return statements.getCommit.get(commit.id)?.is_denied === 1 ? notApplied : undefined;
    const failed = commit.changes.find((change) => !apply(statements, change));
    return failed === undefined ? undefined : { kind: 'storeConflict', change: failed.kind };
  }

  function rollBack(): void {
    try {
      if (db.inTransaction) statements.rollback.run();
    } catch (error) {
      // The connection is in no defined state, so it must not be written to.
      fail('ROLLBACK', error);
    }
  }

  function fail(statement: 'COMMIT' | 'ROLLBACK', error: unknown): void {
    on.error(hasFailed ? error : new SqliteStoreFailed(statement, error));
    hasFailed = true;
  }

  return { write, hasFailed: () => hasFailed };
}
