import { join, matchesGlob } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { instrument, root } from './instrument.ts';
import { longestMs, shards } from './shards.ts';

const shard = shards[process.env['MUTATION_SHARD'] ?? ''];
if (shard === undefined) throw new Error('Set MUTATION_SHARD to the name of a shard.');
const { tests, needsPostgres = false, contract } = shard;
const { texts } = await instrument(shard);
const resolve = { conditions: ['@chairside/source', 'node'] };

class InOrderOfTheShard extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) =>
      tests.findIndex((glob) => matchesGlob(moduleId, join(root, glob)));
    return files.toSorted((a, b) => place(a) - place(b));
  }
}

// biome-ignore lint/style/noDefaultExport: Vitest reads a config from there
export default defineConfig({
  root,
  resolve,
  ssr: { resolve },
  plugins: [
    { name: 'mutants', enforce: 'pre', transform: (_code: string, id: string) => texts.get(id) },
  ],
  test: {
    fsModuleCache: false,
    runner: join(import.meta.dirname, 'runner.ts'),
    testTimeout: shard.longestMs ?? longestMs,
    hookTimeout: 30_000,
    teardownTimeout: 1000,
    isolate: false,
    fileParallelism: false,
    maxWorkers: 1,
    pool: 'forks',
    dangerouslyIgnoreUnhandledErrors: true,
    reporters: [{}],
    sequence: { sequencer: InOrderOfTheShard },
    setupFiles: [
      'scripts/fixed-seed.ts',
      join(import.meta.dirname, 'setup.ts'),
      'packages/proof/spec/test/ours/variants.ts',
    ],
    globalSetup: [
      'scripts/test-folder.ts',
      ...(needsPostgres ? ['packages/postgres/test/global-setup.ts'] : []),
    ],
    include: [...tests],
    ...(contract !== undefined && { testNamePattern: contract }),
    // They read the code as text.
    exclude: [
      'packages/proof/spec/test/{docs,openapi}.spec.ts',
      'packages/core/test/runs-anywhere.test.ts',
    ],
  },
});
