/**
 * PostgreSQL's code for what went wrong (SQLSTATE), where the server itself said it. A connection
 * that broke has none. Read from the value and not by its class: a host's pool may come from
 * another copy of pg.
 */
export function sqlState(error: unknown): string | undefined {
  const isFromServer = error instanceof Error && 'severity' in error && 'code' in error;
  return isFromServer && typeof error.code === 'string' ? error.code : undefined;
}

/**
 * Whether the server says that it carried out no part of a message, and never will. What it says
 * while it shuts down or is out of order may have come after it had committed, and a proxy that lost
 * its server (class 08) may have passed everything on before.
 */
export function isUndone(error: unknown): boolean {
  return /^(2|3|40|42|54|55|57014|0A)/.test(sqlState(error) ?? '');
}

export const uniqueViolation = '23505';

const transient = new RegExp(
  [
    '40...', // serialization failure, deadlock
    '57P0.', // the server shuts down, crashes or starts
    '57014', // a time limit of the host's
    '55P03', // a lock was not to be had in the host's time
    '53...', // too many connections, no memory, no disk
    '08...', // a proxy lost its server
    '0A000', // a standby, which was the primary a moment ago
    '25P0.', // the transaction was ended from outside
    '42501', // the host gave this connection another role
  ].join('|'),
);

/** The same transaction may succeed a little later. A connection that broke counts as well. */
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

/** What may be told to a log: a SyntaxError and some of the server's messages quote stored values. */
export function withoutValues(error: unknown, during: string): Error {
  if (error instanceof SyntaxError) return new Error(`A stored text cannot be read: ${during}`);
  const state = sqlState(error);
  if (state === undefined) return error instanceof Error ? error : new Error(messageOf(error));
  const message = /^2[23]/.test(state) ? '' : `: ${messageOf(error)}`;
  return new Error(`PostgreSQL answered ${state} to ${during}${message}`);
}
