import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { subjects } from './subjects.ts';

const root = join(import.meta.dirname, '../../..');
const { MUTATION_SUBJECT: name = '', MUTANT: mutantFile = '' } = process.env;
const subject = subjects[name];
if (subject === undefined) throw new Error('Set MUTATION_SUBJECT to the name of a subject.');
const { test, only, needsPostgres = false } = subject;
const resolve = { conditions: ['@chairside/source', 'node'] };

/** The file of the runner's current mutant gets its text. */
const mutant = {
  name: 'mutant',
  enforce: 'pre',
  transform(_code: string, id: string): string | undefined {
    const { file, text } = JSON.parse(readFileSync(mutantFile, 'utf8'));
    return id === join(root, `${file}`) ? text : undefined;
  },
} as const;

// biome-ignore lint/style/noDefaultExport: Vitest reads a config from there
export default defineConfig({
  root,
  resolve,
  ssr: { resolve },
  plugins: [mutant],
  test: {
    fsModuleCache: false,
    bail: 1,
    isolate: true,
    maxWorkers: 1,
    pool: 'forks',
    include: [test],
    testNamePattern: only,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    teardownTimeout: 1000,
    reporters: [{}],
    setupFiles: [
      join(import.meta.dirname, 'tell-pid.ts'),
      'scripts/fixed-seed.ts',
      'packages/proof/spec/test/ours/variants.ts',
    ],
    globalSetup: [
      'scripts/test-folder.ts',
      ...(needsPostgres ? ['packages/postgres/test/global-setup.ts'] : []),
    ],
  },
});
