import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { defineConfig } from 'vitest/config';

// Stryker works on a copy of the repository, but the packages' links lead back to the original: so
// each package is found by its place in the copy.
const root = join(import.meta.dirname, '../..');
const alias = globSync('packages/{*,proof/*}/package.json', { cwd: root }).flatMap((path) => {
  const { name, exports } = JSON.parse(readFileSync(join(root, path), 'utf8'));
  return Object.entries<Record<string, string>>(exports ?? {}).flatMap(([subpath, conditions]) => {
    const source = conditions['@chairside/source'];
    if (source === undefined) return [];
    const find = new RegExp(`^${name}${subpath.slice(1)}$`);
    return [{ find, replacement: join(root, dirname(path), source) }];
  });
});

// Tests of other parts than the core's rules, and tests that are slow for each mutant.
const others = 'docs,openapi';

// biome-ignore lint/style/noDefaultExport: Vitest reads a config from there
export default defineConfig({
  resolve: { alias },
  test: {
    // One process for all files: most of the time is loading, and each mutant loads them again.
    isolate: false,
    setupFiles: [
      join(import.meta.dirname, 'stryker.setup.ts'),
      join(root, 'packages/proof/spec/test/ours/variants.ts'),
    ],
    include: ['packages/{core,proof/spec}/test/**/*.{test,spec}.ts'],
    exclude: [
      `packages/proof/spec/test/{${others}}.spec.ts`,
      'packages/core/test/runs-anywhere.test.ts',
    ],
  },
});
