// Prints a sample of the core for `pnpm mutation --mutate`: in every file, blocks of three lines at
// a fixed distance. `node scripts/mutation-sample.ts [EVERY] [FIRST]`
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const [every = 30, first = 7] = process.argv.slice(2).map(Number);
const root = join(import.meta.dirname, '..');
const blocks = globSync('packages/core/src/**/*.ts', { cwd: root })
  .sort()
  .flatMap((file) => {
    const lines = readFileSync(join(root, file), 'utf8').split('\n').length;
    const starts = Array.from({ length: Math.ceil(lines / every) }, (_, at) => first + at * every);
    return starts
      .filter((start) => start + 2 <= lines)
      .map((start) => `${file}:${start}-${start + 2}`);
  });
console.log(blocks.join(','));
