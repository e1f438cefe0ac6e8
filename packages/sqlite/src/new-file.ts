import { closeSync, openSync } from 'node:fs';

/**
 * Creates the file of a new database for its owner alone, since it will hold client secrets; SQLite,
 * which lets every local user read what it creates, gives the files beside it the same rights. A file
 * that exists is not even opened: closing it would drop the locks of this process on it.
 */
export function createOwnersFile(path: string): void {
  const file = path.trim(); // as better-sqlite3 does
  if (file === ':memory:' || file.startsWith('file:')) return;
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch {
    // It exists, or SQLite will say what is wrong.
  }
}
