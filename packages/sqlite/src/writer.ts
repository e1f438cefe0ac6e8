import { err, ok, type Result } from '@chairside/core';
import type { Commit, StoreConflict, StoreUnavailable } from '@chairside/core/ports';
import type { Database } from 'better-sqlite3';
import { prepareChanges } from './apply.ts';
import { preparer } from './cell.ts';
import { isBusy, SqliteStoreFailed } from './fault.ts';
import type { GroundFault } from './ground.ts';

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
   * A COMMIT failed, and its changes may be on the disk and appear after reopening; or the ground is lost. So
   * all reads and writes are refused until the store is opened again.
   */
  readonly hasFailed: () => boolean;
  /** A file was lost, which somebody else noticed. */
  readonly lose: (path: string) => void;
  /** Whether the commit with this id is written. Throws SQLite's errors. */
  readonly isWritten: (id: string) => boolean;
}

/**
 * The look before a group was acknowledged also counts for the next group, if that follows at once: a look costs
 * three calls of the system. The next look still comes before that group is acknowledged.
 */
const freshMs = 1;

export function createWriter(
  db: Database,
  on: {
    /** Whether the disk accepts another transaction. */
    readonly hasRoom: () => boolean;
    /** Whether the next start would find what is written now (D205). */
    readonly lookAtGround: () => GroundFault | undefined;
    /** Called once, before any further statement could run. */
    readonly lost: () => void;
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
  let lookedAt = Number.NEGATIVE_INFINITY;

  function write(commits: readonly Entry[]): readonly Answer[] | 'busy' {
    const allAnswer = (answer: StoreUnavailable) => commits.map(() => err(answer));
    if (hasFailed || !on.hasRoom()) return allAnswer(notApplied);
    if (performance.now() - lookedAt > freshMs && !isFirm()) return allAnswer(unknown);
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
    if (!isFirm()) return allAnswer(unknown);
    on.committed();
    return answers;
  }

  function isFirm(): boolean {
    const fault = on.lookAtGround();
    if (fault === undefined) {
      lookedAt = performance.now();
      return true;
    }
    lookedAt = Number.NEGATIVE_INFINITY;
    if (fault.lost !== undefined) lose(fault.lost);
    else on.error(fault.error);
    return false;
  }

  function lose(path: string): void {
    if (hasFailed) return;
    hasFailed = true;
    on.lost();
    on.error(new SqliteStoreFailed({ lost: path }));
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
    on.error(hasFailed ? error : new SqliteStoreFailed({ statement, cause: error }));
    hasFailed = true;
  }

  function isWritten(id: string): boolean {
    return getCommit.get(id)?.is_denied === 0;
  }

  return { write, isWritten, lose, hasFailed: () => hasFailed };
}
