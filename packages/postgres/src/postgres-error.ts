/**
 * PostgreSQL's error code (SQLSTATE), if the server sent one. A broken connection has none. It is
 * read from the value, not by the error's class, because a host's pool may come from another copy
 * of pg.
 */
export function sqlState(error: unknown): string | undefined {
  const isFromServer = error instanceof Error && 'severity' in error && 'code' in error;
  return isFromServer && typeof error.code === 'string' ? error.code : undefined;
}

/** The classes of PostgreSQL's list of error codes that a transaction is aborted with. */
const aborted = /^(0A|2[0-8BDF]|3[489BDF]|4[024]|5[45]|57014)/;
/**
 * These prove less: the outcome is unknown to the server (CockroachDB says so of a COMMIT), or its
 * session is not in our transaction.
 */
const unproven = ['40003', '25P01'];

/**
 * Whether the server executed no part of a message and never will. Some errors prove less: a server
 * that shuts down or has failed may have committed before. A proxy that lost its server (class 08)
 * may have passed the message on.
 */
export function isUndone(error: unknown): boolean {
  const state = sqlState(error) ?? '';
  return aborted.test(state) && !unproven.includes(state);
}

/** Whether a value in the message is wrong or too long, which says nothing of the session. */
export function isOfValues(error: unknown): boolean {
  return /^(2[23]|54)/.test(sqlState(error) ?? '');
}

export const uniqueViolation = '23505';

const transient = new RegExp(
  [
    '40...', // serialization failure, deadlock
    '57P0.', // the server shuts down, crashes or starts
    '57014', // a time limit of the host
    '55P03', // the lock wait exceeded the host's limit
    '53...', // too many connections, no memory, no disk
    '08...', // a proxy lost its server
    '0A000', // a standby that was the primary a moment ago
    '25P0.', // the transaction was ended by another session
    '42501', // the host gave this connection another role
  ].join('|'),
);

/** The same transaction may succeed later. A broken connection counts as well. */
export function isTransient(error: unknown): boolean {
  const state = sqlState(error);
  return state === undefined || mayPass(state);
}

export function mayPass(state: string): boolean {
  return transient.test(state);
}

export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') {
    return error.errors.map(messageOf).join(', ');
  }
  return error instanceof Error ? error.message : String(error);
}

/**
 * An error that is safe to log: a SyntaxError and some of the server's messages quote stored
 * values.
 */
export function withoutValues(error: unknown, during: string): Error {
  if (error instanceof SyntaxError) return new Error(`A stored text cannot be read: ${during}`);
  const state = sqlState(error);
  if (state === undefined) return error instanceof Error ? error : new Error(messageOf(error));
  const message = /^2[23]/.test(state) ? '' : `: ${messageOf(error)}`;
  return new Error(`PostgreSQL answered ${state} to ${during}${message}`);
}
