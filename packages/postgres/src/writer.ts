import type { ChangeKind, Commit } from '@chairside/core';
import type { PoolClient } from 'pg';
import type { Cell } from './cell.ts';
import { ask, type Health, type Query, type Reply, sendTransaction } from './connection.ts';
import {
  divisionByZero,
  isEnded,
  isTransient,
  isUndone,
  sqlState,
  uniqueViolation,
} from './postgres-error.ts';
import type { StatementName, Statements } from './statements.ts';
import { type Step, stepsOf } from './steps.ts';

/** What came of sending a commit once. */
export type Outcome =
  | { readonly kind: 'written' }
  /** Its id was there: an earlier attempt had written it. */
  | { readonly kind: 'writtenBefore' }
  | { readonly kind: 'conflict'; readonly change: ChangeKind }
  /** Nothing was written. */
  | {
      readonly kind: 'notApplied';
      readonly mayRetry: boolean;
      readonly error: unknown;
      readonly during: string;
    }
  /** The answer was lost: it may have been written, or may still be. */
  | { readonly kind: 'unknown'; readonly error: unknown };

/**
 * Writes a commit in a transaction of its own, in one round trip: as one statement where that is
 * possible, else as many. It can be sent again whatever came of it: its id is a row with a unique
 * key, so at most one of the attempts is ever committed, and an attempt waits for one that still
 * runs.
 */
export async function write(
  client: PoolClient,
  health: Health,
  statements: Statements,
  { id, at, changes }: Commit,
): Promise<Outcome> {
  const query = (name: StatementName, ...cells: readonly Cell[]): Query => ({
    ...statements[name],
    cells,
  });
  let steps: readonly Step[];
  try {
    steps = changes.flatMap(stepsOf);
  } catch (error) {
    return { kind: 'notApplied', mayRetry: false, error, during: 'a change' };
  }
  const whole = statements.together(['insertCommit', ...steps.map(({ statement }) => statement)]);
  if (whole !== undefined) {
    const cells = [id, at, ...steps.flatMap((step) => step.cells)];
    const reply = await ask(client, { ...whole, cells });
    if (reply.isOk()) return durably(health);
    if (!isUndone(reply.error)) return { kind: 'unknown', error: reply.error };
    // Undone as a whole. Sent one by one, they tell which of them it was, and whether it still is.
  }

  const [begun, allowed, named, ...rest] = await sendTransaction(client, health, statements, [
    query('insertCommit', id, at),
    ...steps.map(({ statement, cells }) => query(statement, ...cells)),
  ]);
  const committed = rest[steps.length];

  if (begun?.isErr()) return ended(begun.error, 'begin');
  if (allowed?.isErr()) return ended(allowed.error, 'allowWrites');
  if (named?.isErr()) {
    if (sqlState(named.error) === uniqueViolation) return { kind: 'writtenBefore' };
    return ended(named.error, 'insertCommit');
  }
  for (const [index, step] of steps.entries()) {
    const reply = rest[index];
    if (reply?.isErr()) return refused(step, reply.error);
  }
  return ending(committed, health);
}

/** A statement before the COMMIT failed. */
function ended(error: unknown, during: string): Outcome {
  // Then the transaction is gone. Else nobody knows how far it came, its COMMIT included.
  if (!isEnded(error)) return { kind: 'unknown', error };
  return { kind: 'notApplied', mayRetry: isTransient(error), error, during };
}

function refused({ statement, change }: Step, error: unknown): Outcome {
  const state = sqlState(error);
  // Another account became the default in the same moment: the next attempt sees it.
  if (state === uniqueViolation && statement === 'putFinancialAccount') {
    return { kind: 'notApplied', mayRetry: true, error, during: statement };
  }
  return state === divisionByZero || state === uniqueViolation
    ? { kind: 'conflict', change }
    : ended(error, statement);
}

function ending(committed: Reply | undefined, health: Health): Outcome {
  if (committed === undefined) return { kind: 'unknown', error: new Error('No COMMIT was sent') };
  if (committed.isErr()) {
    const { error } = committed;
    // A COMMIT may fail and say so. Any other end of it tells nothing.
    return /^(40|23)/.test(sqlState(error) ?? '')
      ? { kind: 'notApplied', mayRetry: true, error, during: 'commit' }
      : { kind: 'unknown', error };
  }
  if (committed.value.command !== 'COMMIT') {
    const error = new Error('PostgreSQL rolled the transaction back');
    return { kind: 'notApplied', mayRetry: true, error, during: 'commit' };
  }
  return durably(health);
}

function durably({ isReplicaBehind }: Health): Outcome {
  return isReplicaBehind
    ? { kind: 'unknown', error: new Error('PostgreSQL did not wait for its standby') }
    : { kind: 'written' };
}
