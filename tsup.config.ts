import { copyFileSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { defineConfig } from 'tsup';

// Run inside a package, as scripts/build.ts does. It builds the package's `exports`.
const { exports }: { exports: Record<string, Record<string, string>> } = JSON.parse(
  readFileSync('package.json', 'utf8'),
);

export default defineConfig({
  entry: Object.values(exports).flatMap((path) => path['@chairside/source'] ?? []),
  format: 'esm',
  target: 'node22',
  removeNodeProtocol: false, // `dist` imports what the sources do
  sourcemap: true,
  clean: true,
  silent: true,
  // Threads start from separate files, which need no declarations.
  async onSuccess() {
    for (const worker of globSync('src/*-worker.js')) {
      copyFileSync(worker, join('dist', basename(worker)));
    }
  },
});
