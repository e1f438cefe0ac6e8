import { globSync, readFileSync } from 'node:fs';
import { dirname, join, matchesGlob } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { shards } from './shards.ts';

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

const shard = shards[process.env['MUTATION_SHARD'] ?? ''];
if (shard === undefined) throw new Error('Set MUTATION_SHARD to the name of a shard.');
const { tests, isolate = false } = shard;

class InOrderOfTheShard extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) =>
      tests.findIndex((glob) => matchesGlob(moduleId, join(root, glob)));
    return files.toSorted((a, b) => place(a) - place(b));
  }
}

// biome-ignore lint/style/noDefaultExport: Vitest reads a config from there
export default defineConfig({
  resolve: { alias },
  test: {
    testTimeout: 30_000,
    isolate,
    sequence: { sequencer: InOrderOfTheShard },
    setupFiles: [
      join(import.meta.dirname, 'setup.ts'),
      join(root, 'scripts/fixed-seed.ts'),
      join(root, 'packages/proof/spec/test/ours/variants.ts'),
    ],
    globalSetup: ['scripts/test-folder.ts', 'packages/postgres/test/global-setup.ts'].map((file) =>
      join(root, file),
    ),
    include: [...tests],
    // They read the code as text, which Stryker has changed.
    exclude: [
      'packages/proof/spec/test/{docs,openapi}.spec.ts',
      'packages/core/test/runs-anywhere.test.ts',
    ],
  },
});
