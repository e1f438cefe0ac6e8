import { explained } from './fault.ts';
import { messageOf } from './sqlite-error.ts';

/** Reported to `onError`, once: the store is unavailable until the process starts again (D70). */
export class SqliteStoreFailed extends Error {
  override readonly name = 'SqliteStoreFailed';

  constructor(statement: 'COMMIT' | 'ROLLBACK', cause: unknown) {
    super(
      `A ${statement} failed: the store stays unavailable until it is opened again; restart the process. ${messageOf(explained(cause))}`,
      { cause },
    );
  }
}
