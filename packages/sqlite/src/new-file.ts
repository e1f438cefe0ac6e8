import { closeSync, openSync } from 'node:fs';

/**
 * Creates the file of a new database for its owner alone, because it will hold client secrets.
 * SQLite makes its files readable by every local user, but gives the files beside an existing one
 * the same rights. An existing file is not even opened: closing it would drop this process's locks
 * on it.
 */
export function createOwnersFile(path: string): void {
  const file = path.trim(); // as better-sqlite3 does
  if (file === ':memory:' || file.startsWith('file:')) return;
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch {
    // It exists, or SQLite will report the problem.
  }
}
