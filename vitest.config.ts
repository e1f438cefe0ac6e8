import { defineConfig } from 'vitest/config';

// Tests run against the packages' sources, not against what is built.
const resolve = { conditions: ['@chairside/source', 'node'] };

export default defineConfig({
  resolve,
  ssr: { resolve },
  test: {
    // One for each core: the main thread, for which one is left out by default, is idle meanwhile.
    maxWorkers: '100%',
    // No test depends on speed: these only end what hangs.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    include: ['{packages,examples}/*/test/**/*.{test,spec}.ts'],
    setupFiles: ['scripts/fixed-seed.ts', 'packages/stripe/test/wire/watch.ts'],
    globalSetup: 'packages/postgres/test/global-setup.ts',
    reporters: ['default', ['json', { outputFile: 'coverage/tests.json' }]],
    coverage: {
      provider: 'v8',
      include: ['packages/*/src/**/*.ts'],
      reporter: ['text-summary', 'json-summary', 'html'],
      thresholds: { 'packages/core/src/**': { branches: 100, lines: 100 } },
    },
  },
});
