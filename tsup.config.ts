import { copyFileSync, globSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { defineConfig } from 'tsup';

// Run inside a package, as scripts/build.ts does. It builds the package's `exports`.
const { exports }: { exports: Record<string, Record<string, string>> } = JSON.parse(
  readFileSync('package.json', 'utf8'),
);

const entry = Object.values(exports).flatMap((path) => path['@chairside/source'] ?? []);

export default defineConfig({
  entry: Object.fromEntries(entry.map((path) => [nameOf(path), path])),
  format: 'esm',
  target: 'node22',
  removeNodeProtocol: false, // `dist` imports what the sources do
  sourcemap: true,
  clean: true,
  silent: true,
  // Code that two entries share moves to chunks. With a twin, `index.js` only names its exports, so a
  // bundler leaves out the chunks of those that a program does not use.
  esbuildOptions(options) {
    options.entryPoints = { ...Object(options.entryPoints), twin: './src/index.ts' };
  },
  // Threads start from separate files, which need no declarations.
  async onSuccess() {
    for (const twin of globSync('dist/twin.js*')) rmSync(twin);
    for (const worker of globSync('src/*-worker.js')) {
      copyFileSync(worker, join('dist', basename(worker)));
    }
  },
});

/** `./src/domain/money.ts` is built as `domain/money`. */
function nameOf(path: string): string {
  return path.replace(/^\.\/src\//, '').replace(/\.ts$/, '');
}
