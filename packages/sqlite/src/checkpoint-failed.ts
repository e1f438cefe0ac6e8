import { explained } from './fault.ts';
import { messageOf } from './sqlite-error.ts';

const pageBytes = 4096;
const megabytes = (pages: number) => Math.ceil((pages * pageBytes) / 1_000_000);

/** Reported to `onError` repeatedly while the database file cannot be written (D90). */
export class SqliteCheckpointFailed extends Error {
  override readonly name = 'SqliteCheckpointFailed';

  constructor(walPages: number, maxWalPages: number, cause: unknown) {
    const state =
      walPages < maxWalPages
        ? `writes are accepted until its WAL has ${megabytes(maxWalPages)} MB (now ${megabytes(walPages)} MB)`
        : `its WAL has ${megabytes(walPages)} MB, so writes are refused until the file can be written again`;
    super(`The database file cannot be written: ${state}. ${messageOf(explained(cause))}`, {
      cause,
    });
  }
}
