// Prints the size of this package beside others: `npx --yes pnpm --filter @chairside/client
// check:sizes`. The others are installed for the run alone. Each is bundled and minified with its
// dependencies.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const own = { folder: import.meta.dirname, from: '../src/index.ts' };
const others = [
  { name: 'openapi-fetch', version: '0.17.0', use: 'default as createClient' },
  { name: 'ky', version: '1.14.3', use: 'default as ky' },
  { name: '@tanstack/query-core', version: '5.108.0', use: 'QueryClient, MutationObserver' },
  { name: 'xstate', version: '5.33.3', use: 'createMachine, createActor' },
] as const;

async function sizeOf(contents: string, resolveDir: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir },
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2020',
    conditions: ['@chairside/source'],
    write: false,
  });
  return gzipSync(outputFiles[0]?.contents ?? '').length;
}

const folder = mkdtempSync(join(tmpdir(), 'chairside-sizes-'));
try {
  const wanted = others.map(({ name, version }) => `${name}@${version}`);
  execFileSync('npm', ['install', '--no-save', '--prefix', folder, ...wanted], { stdio: 'ignore' });
  const rows: [string, number][] = [
    [
      '@chairside/client: the fourteen calls',
      await sizeOf(`export { createClient } from '${own.from}'`, own.folder),
    ],
    [
      '@chairside/client: the same with the register',
      await sizeOf(`export { createClient, createRegister } from '${own.from}'`, own.folder),
    ],
  ];
  for (const { name, version, use } of others) {
    rows.push([`${name} ${version}`, await sizeOf(`export { ${use} } from '${name}'`, folder)]);
  }
  for (const [name, bytes] of rows) console.log(`${String(bytes).padStart(7)}  ${name}`);
} finally {
  rmSync(folder, { recursive: true });
}
