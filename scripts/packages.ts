import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folders of all packages: those for users, and the proofs below `packages/proof`. */
export const packageFolders = globSync('packages/{*,proof/*}/package.json', {
  cwd: join(import.meta.dirname, '..'),
})
  .sort()
  .map((path) => join(import.meta.dirname, '..', dirname(path)));
