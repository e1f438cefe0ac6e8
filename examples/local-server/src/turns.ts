import { setImmediate as atEndOfTurn } from 'node:timers';
import type { Database } from 'better-sqlite3';

/** A transaction that everything of one turn of the event loop is part of. */
export interface Turn {
  /** Resolves once it has ended: whether what was written in it is kept. */
  readonly committed: Promise<boolean>;
  /** Commits it now. */
  end(): boolean;
}

export interface Turns {
  /** Begins this turn's transaction, or joins it. `undefined`: the database cannot be written. */
  enter(): Turn | undefined;
}

/**
 * Lets all that is written in one turn share a transaction, since to commit one costs as much as all
 * the writes in it. It never outlives the turn, so another process waits no longer than that.
 */
export function createTurns(db: Database): Turns {
  const begin = db.prepare<[]>('BEGIN IMMEDIATE');
  const commit = db.prepare<[]>('COMMIT');
  const rollback = db.prepare<[]>('ROLLBACK');
  let current: Turn | undefined;

  function enter(): Turn | undefined {
    try {
      // A full disk makes SQLite roll back by itself: that turn is over.
      if (current !== undefined && !db.inTransaction) current.end();
      current ??= beginTurn();
    } catch {
      return undefined;
    }
    return current;
  }

  /** Throws what SQLite throws. */
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
      // What is left of it goes with the connection.
    }
  }

  return { enter };
}
