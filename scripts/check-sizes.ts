// Fails where a package grows beyond its budget: minified, gzipped, without its dependencies.
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '..');

/** KiB for each entry, a few percent above its size. */
const budgets: Readonly<Record<string, number>> = {
  'core/src/index.ts': 38,
  'core/src/domain/money.ts': 1,
  'client/src/index.ts': 9,
  'client/src/refunds.ts': 4,
  'h3/src/index.ts': 17,
  'h3/src/node-server.ts': 3,
  'sqlite/src/index.ts': 13,
  'opentelemetry/src/index.ts': 2,
  'postgres/src/index.ts': 15,
  'fake-processor/src/index.ts': 9,
  'stripe/src/index.ts': 12,
  'testkit/src/index.ts': 6,
  'trials/src/index.ts': 31,
};

for (const [entry, budget] of Object.entries(budgets)) {
  const { outputFiles } = await build({
    entryPoints: [join(root, 'packages', entry)],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'neutral',
    packages: 'external',
    external: ['node:*'],
    logLevel: 'error',
  });
  const size = gzipSync(outputFiles[0]?.contents ?? '').length / 1024;
  const isOver = size > budget;
  console.log(
    `${entry.padEnd(30)} ${size.toFixed(1).padStart(6)} of ${budget} KiB${isOver ? ', too large' : ''}`,
  );
  if (isOver) process.exitCode = 1;
}
