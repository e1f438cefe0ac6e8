import { globSync, readFileSync } from 'node:fs';
import { defineConfig } from 'tsup';

// Run inside a package (scripts/build.ts does). What to build is what its `exports` offer.
const { exports }: { exports: Record<string, Record<string, string>> } = JSON.parse(
  readFileSync('package.json', 'utf8'),
);

export default defineConfig({
  entry: [
    ...Object.values(exports).flatMap((path) => path['@chairside/source'] ?? []),
    ...globSync('src/*-worker.ts'), // threads are started from files of their own
  ],
  format: 'esm',
  target: 'node22',
  sourcemap: true,
  clean: true,
  silent: true,
});
