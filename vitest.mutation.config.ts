// The tests that Stryker runs over a copy of the repository: the core's own, the specs over the store in memory, and
// SQLite's contract, because only SQL stores fill and read rows.
// `MUTATION_TESTS` names fewer of them.
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const core = join(import.meta.dirname, 'packages/core/src');
const at = (name: string, file: string) => ({
  find: new RegExp(`^${name}$`),
  replacement: join(core, file),
});
const resolve = {
  conditions: ['@chairside/source', 'node'],
  // The links in `node_modules` lead to the core outside the copy, which has no mutants.
  alias: [
    at('@chairside/core', 'index.ts'),
    at('@chairside/core/money', 'values/money.ts'),
    at('@chairside/core/result', 'values/result.ts'),
    at('@chairside/core/ports', 'ports/index.ts'),
    at('@chairside/core/storage', 'storage/index.ts'),
  ],
};

export default defineConfig({
  resolve,
  ssr: { resolve },
  test: {
    include: process.env['MUTATION_TESTS']?.split(',') ?? [
      'packages/core/{src,test}/**/*.test.ts',
      'packages/proof/spec/test/*.spec.ts',
      'packages/sqlite/test/contract.test.ts',
    ],
    // They read the code as text, or bundle it.
    exclude: [
      'packages/core/test/{runs-anywhere,size}.test.ts',
      'packages/proof/spec/test/{docs,openapi}.spec.ts',
    ],
    isolate: false,
    testTimeout: 30_000,
    env: { CHAIRSIDE_VARIANTS: 'memory' },
    globalSetup: ['scripts/test-folder.ts'],
    setupFiles: ['scripts/fixed-seed.ts', 'packages/proof/spec/test/ours/variants.ts'],
  },
});
