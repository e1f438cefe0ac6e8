import {
  type Commit,
  err,
  ok,
  type Result,
  type StoreConflict,
  type StoreUnavailable,
} from '@chairside/core';
import type { Database } from 'better-sqlite3';
import { prepareChanges } from './apply.ts';
import { preparer } from './cell.ts';
import { isBusy, SqliteStoreFailed } from './fault.ts';

export type Answer = Result<void, StoreConflict | StoreUnavailable>;

export const notApplied: StoreUnavailable = { kind: 'storeUnavailable', outcome: 'notApplied' };
export const unknown: StoreUnavailable = { kind: 'storeUnavailable', outcome: 'unknown' };

/** A commit, or the id of a commit that must not be applied any more if it is not written yet. */
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
  /** Whether the commit with this id is written. Throws SQLite's errors. */
  readonly isWritten: (id: string) => boolean;
}

export function createWriter(
  db: Database,
  on: {
    /** Whether the disk accepts another transaction. */
    readonly hasRoom: () => boolean;
    /** Must not throw, because the commits have succeeded. */
    readonly committed: () => void;
    /** Receives SQLite's errors, and once the error that ends all reading and writing. */
    readonly error: (error: unknown) => void;
  },
): Writer {
  const prepare = preparer(db);
  const begin = prepare('BEGIN IMMEDIATE');
  const end = prepare('COMMIT');
  const rollback = prepare('ROLLBACK');
  const savepoint = prepare('SAVEPOINT one_commit');
  const release = prepare('RELEASE one_commit');
  const rollbackTo = prepare('ROLLBACK TO one_commit');
  const insertCommit = prepare(
    'INSERT INTO chairside_commits (id, at) VALUES (?, ?) ON CONFLICT DO NOTHING',
  );
  // By the database's clock, or by the latest commit if that is ahead.
  const denyCommit = prepare(`INSERT INTO chairside_commits (id, at, is_denied)
      SELECT ?, max(ifnull(max(at), 0), CAST(unixepoch('subsec') * 1000 AS INTEGER)), 1
      FROM chairside_commits WHERE TRUE
      ON CONFLICT DO NOTHING`);
  const getCommit = prepare<{ readonly is_denied: number }>(
    'SELECT is_denied FROM chairside_commits WHERE id = ?',
  );
  const apply = prepareChanges(db);
  let hasFailed = false;

  function write(commits: readonly Entry[]): readonly Answer[] | 'busy' {
    const allAnswer = (answer: StoreUnavailable) => commits.map(() => err(answer));
    if (hasFailed || !on.hasRoom()) return allAnswer(notApplied);
    try {
      begin.run();
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
      end.run();
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
    if (db.inTransaction) rollback.run();
    try {
      begin.run();
    } catch (error) {
      if (isBusy(error)) return 'busy';
      throw error;
    }
    return commits.map(applyOne);
  }

  function applyOne(commit: Entry): Answer {
    savepoint.run();
    try {
      const failed = applyAll(commit);
      if (failed !== undefined) {
        rollbackTo.run();
        release.run();
        return err(failed);
      }
      release.run();
      return ok();
    } catch (error) {
      // For some errors (a full disk) SQLite rolls back the whole transaction.
      if (!db.inTransaction) throw error;
      on.error(error);
      rollbackTo.run();
      release.run();
      return err(notApplied);
    }
  }

  function applyAll(commit: Entry): StoreConflict | StoreUnavailable | undefined {
    if ('denied' in commit) {
      denyCommit.run(commit.denied);
      return undefined;
    }
    const isNew = insertCommit.run(commit.id, commit.at).changes === 1;
    if (!isNew) return isWritten(commit.id) ? undefined : notApplied;
    const failed = commit.changes.find((change) => !apply(change));
    return failed === undefined ? undefined : { kind: 'storeConflict', change: failed.kind };
  }

  function rollBack(): void {
    try {
      if (db.inTransaction) rollback.run();
    } catch (error) {
      // The connection is in no defined state, so it must not be written to.
      fail('ROLLBACK', error);
    }
  }

  function fail(statement: 'COMMIT' | 'ROLLBACK', error: unknown): void {
    on.error(hasFailed ? error : new SqliteStoreFailed(statement, error));
    hasFailed = true;
  }

  function isWritten(id: string): boolean {
    return getCommit.get(id)?.is_denied === 0;
  }

  return { write, isWritten, hasFailed: () => hasFailed };
}
