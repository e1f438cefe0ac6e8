import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const resolve = { conditions: ['@chairside/source', 'node'] };

// The suites here are meant to fail: no other run may pick them up.
export default defineConfig({
  resolve,
  ssr: { resolve },
  test: {
    root: process.env['CHAIRSIDE_SUITE_FOLDER'] ?? process.cwd(),
    include: ['*.suite.ts'],
    setupFiles: [join(import.meta.dirname, '../../../../../scripts/fixed-seed.ts')],
    testTimeout: 5000,
    maxWorkers: 1,
  },
});
