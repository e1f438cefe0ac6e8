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

export interface Writer {
  /**
   * Writes all of these in one transaction, each with an answer of its own, in their order.
   * `busy`: another connection holds the write lock; nothing was done.
   */
  write(commits: readonly Commit[]): readonly Answer[] | 'busy';
  /**
   * A COMMIT failed. Its changes may be on the disk all the same, and show after reopening, so
   * nothing more is written or read until then.
   */
  readonly hasFailed: () => boolean;
}

export function createWriter(
  db: Database,
  statements: Statements,
  on: {
    /** Whether the disk takes another transaction. */
    readonly hasRoom: () => boolean;
    /** Must not throw: what was committed is to be answered so. */
    readonly committed: () => void;
    /** Is told of what SQLite threw, and once of what ends all writing and reading. */
    readonly error: (error: unknown) => void;
  },
): Writer {
  let hasFailed = false;

  function write(commits: readonly Commit[]): readonly Answer[] | 'busy' {
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
   * Nearly always every commit of a batch is applied, and then none needs a savepoint of its own.
   * @returns whether all were; otherwise the transaction is to be begun again.
   */
  function applyTogether(commits: readonly Commit[]): boolean {
    try {
      return commits.every((commit) => applyAll(commit) === undefined);
    } catch {
      return false; // It will throw again, and be reported, where it fails alone.
    }
  }

  /** Applies each in a savepoint of its own. Throws when the whole transaction is lost. */
  function applyApart(commits: readonly Commit[]): readonly Answer[] | 'busy' {
    if (db.inTransaction) statements.rollback.run();
    try {
      statements.beginWrite.run();
    } catch (error) {
      if (isBusy(error)) return 'busy';
      throw error;
    }
    return commits.map(applyOne);
  }

  function applyOne(commit: Commit): Answer {
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
      // Some errors (a full disk) make SQLite roll back the whole transaction by itself.
      if (!db.inTransaction) throw error;
      on.error(error);
      statements.rollbackTo.run();
      statements.release.run();
      return err(notApplied);
    }
  }

  function applyAll(commit: Commit): StoreConflict | undefined {
    const isNew = statements.insertCommit.run(commit.id, commit.at).changes === 1;
    if (!isNew) return undefined;
    const failed = commit.changes.find((change) => !apply(statements, change));
    return failed === undefined ? undefined : { kind: 'storeConflict', change: failed.kind };
  }

  function rollBack(): void {
    try {
      if (db.inTransaction) statements.rollback.run();
    } catch (error) {
      // What is left is in no state to be written to.
      fail('ROLLBACK', error);
    }
  }

  function fail(statement: 'COMMIT' | 'ROLLBACK', error: unknown): void {
    on.error(hasFailed ? error : new SqliteStoreFailed(statement, error));
    hasFailed = true;
  }

  return { write, hasFailed: () => hasFailed };
}
