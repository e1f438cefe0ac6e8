import { join } from 'node:path';
import { createContext, Script } from 'node:vm';
import { build } from 'esbuild';
import { beforeAll, expect, it } from 'vitest';
import { now } from './support.ts';

let bundle = '';
let imports: readonly { readonly path: string; readonly external?: boolean }[] = [];
let inputs: readonly string[] = [];

beforeAll(async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(import.meta.dirname, 'fixtures/embedded.ts')],
    bundle: true,
    format: 'iife',
    globalName: 'embedded',
    platform: 'browser',
    target: 'es2024',
    metafile: true,
    write: false,
    outdir: 'unwritten',
  });
  bundle = outputFiles[0]?.text ?? '';
  imports = Object.values(metafile.inputs).flatMap((file) => file.imports);
  inputs = Object.keys(metafile.inputs);
});

it('is bundled for a browser without remaining imports', () => {
  expect(inputs.filter((file) => file.endsWith('core/src/chairside.ts'))).toHaveLength(1);
  expect(imports.filter(({ external, path }) => external || path.startsWith('node:'))).toEqual([]);
  expect(bundle).not.toMatch(/\brequire\s*\(|\bimport\s*\(|["']node:/);
});

it('consists of the core, neverthrow, valibot and noble hashes only', () => {
  const packages = inputs.map((file) => {
    const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file) ?? [];
    return name ?? /packages\/[^/]+/.exec(file)?.[0];
  });
  expect([...new Set(packages)].sort()).toEqual([
    '@noble/hashes',
    'neverthrow',
    'packages/core',
    'valibot',
  ]);
});

it('registers a terminal with only ECMAScript, randomness and a clock', async () => {
  let byte = 0;
  const crypto = {
    getRandomValues(bytes: Uint8Array) {
      for (let i = 0; i < bytes.length; i += 1) {
        bytes[i] = byte % 251;
        byte += 1;
      }
      return bytes;
    },
  };
  // A context has only the globals of ECMAScript, and those passed to it.
  const context = createContext({ crypto }, { codeGeneration: { strings: false, wasm: false } });
  const run = (code: string): unknown => new Script(code).runInContext(context);
  expect(run('typeof process + typeof setTimeout + typeof URL + typeof console')).toBe(
    'undefined'.repeat(3).concat('object'),
  );
  run(`Date.now = () => ${now}; delete globalThis.console`);
  run(bundle);
  const answer = await run('embedded.registerAndList()');
  expect(JSON.parse(String(answer))).toEqual({
    items: [
      {
        id: expect.stringMatching(/^trm_[0-7][0-9a-hjkmnp-tv-z]{25}$/),
        platform: 'ios',
        deviceIdentifier: 'device-1',
        createdAt: '2026-11-21T09:00:00.000Z',
        updatedAt: '2026-11-21T09:00:00.000Z',
      },
    ],
    count: 1,
  });
});
