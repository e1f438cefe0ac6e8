// Fails where a package grows beyond its budget: minified, gzipped, without its dependencies. It also
// bounds what one imported name costs, so the packages must be built.
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type BuildOptions, build } from 'esbuild';

const root = join(import.meta.dirname, '..');

/** KiB for each entry, a few percent above its size. */
const budgets: Readonly<Record<string, number>> = {
  'core/src/index.ts': 98,
  'core/src/receipt/print.ts': 3.2,
  'core/src/values/money.ts': 1,
  'client/src/index.ts': 9.4,
  'client/src/receipts.ts': 0.8,
  'client/src/refunds.ts': 0.7,
  'client/src/tips.ts': 0.5,
  'h3/src/index.ts': 14.6,
  'h3/src/node-server.ts': 3,
  'sqlite/src/index.ts': 14.5,
  'opentelemetry/src/index.ts': 2,
  'webhooks/src/index.ts': 2,
  'create-chairside/src/index.ts': 3,
  'cli/src/index.ts': 1,
  'cli/src/main.ts': 18.3,
  'postgres/src/index.ts': 18,
  'fake-processor/src/index.ts': 13.2,
  'stripe/src/index.ts': 18.6,
  'proof/testkit/src/index.ts': 8,
  'proof/spec/src/index.ts': 150,
  'proof/trials/src/index.ts': 51,
};

/**
 * Bytes of a program that imports one name from the built core, with its dependencies. They grow if
 * `index.js` holds code that a bundler cannot leave out.
 */
const alone: Readonly<Record<string, number>> = {
  formatMoney: 300,
  parseMoney: 8000, // mostly neverthrow
};

async function bundle(options: BuildOptions): Promise<Uint8Array> {
  const { outputFiles = [] } = await build({
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'neutral',
    external: ['node:*'],
    logLevel: 'error',
    ...options,
  });
  return outputFiles[0]?.contents ?? new Uint8Array();
}

function compare(name: string, size: number, budget: number, unit: string): void {
  const isOver = size > budget;
  const figure = size.toFixed(1).padStart(6);
  console.log(`${name.padEnd(30)} ${figure} of ${budget} ${unit}${isOver ? ', too large' : ''}`);
  if (isOver) process.exitCode = 1;
}

for (const [entry, budget] of Object.entries(budgets)) {
  const entryPoints = [join(root, 'packages', entry)];
  const contents = await bundle({ entryPoints, packages: 'external' });
  compare(entry, gzipSync(contents).length / 1024, budget, 'KiB');
}
for (const [name, budget] of Object.entries(alone)) {
  const contents = `import { ${name} } from '@chairside/core'; console.log(${name});`;
  const stdin = { contents, resolveDir: join(root, 'packages/h3') };
  compare(`${name} alone`, (await bundle({ stdin, mainFields: ['main'] })).length, budget, 'bytes');
}
