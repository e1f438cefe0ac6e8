import { setImmediate as atEndOfTurn } from 'node:timers';
import type { Database } from 'better-sqlite3';

/** A transaction for all writes in one turn of the event loop. */
interface Turn {
  /** Resolves once it has ended: true if its writes were committed. */
  readonly committed: Promise<boolean>;
  /** Commits it now. */
  end(): boolean;
}

export interface Turns {
  /** Begins this turn's transaction, or joins it. `undefined`: the database cannot be written. */
  enter(): Turn | undefined;
}

/**
 * Lets all writes of one turn share a transaction, because a commit costs as much as all its
 * writes. It never outlives the turn, so another process waits no longer than that.
 */
export function createTurns(db: Database): Turns {
  const begin = db.prepare<[]>('BEGIN IMMEDIATE');
  const commit = db.prepare<[]>('COMMIT');
  const rollback = db.prepare<[]>('ROLLBACK');
  let current: Turn | undefined;

  function enter(): Turn | undefined {
    try {
      // On a full disk SQLite rolls back by itself, and the turn is over.
      if (current !== undefined && !db.inTransaction) current.end();
      current ??= beginTurn();
    } catch {
      return undefined;
    }
    return current;
  }

  /** Throws SQLite's errors. */
  function beginTurn(): Turn {
    begin.run();
    const { promise, resolve } = Promise.withResolvers<boolean>();
    let ended: boolean | undefined;
    const turn: Turn = {
      committed: promise,
      end() {
        if (ended !== undefined) return ended;
        ended = isCommitted();
        current = undefined;
        resolve(ended);
        return ended;
      },
    };
    atEndOfTurn(turn.end);
    return turn;
  }

  function isCommitted(): boolean {
    try {
      commit.run();
      return true;
    } catch {
      rollBack();
      return false;
    }
  }

  function rollBack(): void {
    try {
      if (db.inTransaction) rollback.run();
    } catch {
      // Closing the connection ends the rest.
    }
  }

  return { enter };
}
