// Preloaded by the tests of the project `lowest`: a thread that vitest did not start, such as that of
// the checkpoints, loads the same version of a peer as the tests. With two copies of SQLite in one
// process, each drops the file locks of the other.
import { registerHooks } from 'node:module';
import { peers } from './peers.ts';

registerHooks({
  resolve: (specifier, context, next) =>
    next(peers.includes(specifier) ? `${specifier}-lowest` : specifier, context),
});
