// Preloaded by the tests of the project `lowest`: a thread that vitest did not start, such as that of
// the checkpoints, loads the same version of a peer as the tests. With two copies of SQLite in one
// process, each drops the file locks of the other.
import { registerHooks } from 'node:module';

/** The peers whose lower end is installed under another name. */
const peers = new Set(['better-sqlite3', 'h3', 'neverthrow', 'pg']);

registerHooks({
  resolve: (specifier, context, next) =>
    next(peers.has(specifier) ? `${specifier}-lowest` : specifier, context),
});
