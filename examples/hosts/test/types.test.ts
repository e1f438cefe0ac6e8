import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { fresh, newFolder, run, tarball } from './project.ts';

const folder = newFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));

const packages = ['core', 'client', 'fake-processor', 'h3', 'opentelemetry', 'postgres', 'sqlite']
  .concat('stripe', 'testkit')
  .map((name) => [`@chairside/${name}`, name] as const);
const entries = ['/money', '/result', '/storage'].map((path) => `@chairside/core${path}`);
const withoutH3 = [...packages.map(([name]) => name), ...entries].filter(
  (name) => name !== '@chairside/h3',
);
const ofH3 = ['@chairside/h3', '@chairside/h3/node'];

/** The lowest versions that the documents name. */
const lowest = {
  '@types/better-sqlite3': '7.6.13',
  '@types/node': '^18.0.0',
  '@types/pg': '8.11.0',
};

beforeAll(async () => {
  const tarballs = Object.fromEntries(
    packages.map(([name, file]) => [name, `file:${tarball(inject('tarballs'), file)}`]),
  );
  const compilers = { 'ts-5.7': 'npm:typescript@~5.7.0', 'ts-7.0': 'npm:typescript@~7.0.0' };
  const dependencies = { ...tarballs, ...compilers, ...lowest };
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ private: true, type: 'module', dependencies, overrides: lowest }),
  );
  const args = ['install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];
  await run('npm', args, folder, fresh());
}, 9 * 60_000);

/** Compiles a file that imports these; returns the errors. */
async function compile(
  compiler: string,
  imports: readonly string[],
  skipLibCheck: boolean,
): Promise<readonly string[]> {
  const lines = imports.map((name, index) => `import * as e${index} from '${name}';`);
  const names = imports.map((_, index) => `e${index}`);
  writeFileSync(join(folder, 'all.ts'), `${lines.join('\n')}\nexport { ${names.join(', ')} };\n`);
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2022',
    strict: true,
    noEmit: true,
    types: ['node'],
    skipLibCheck,
  };
  const config = { compilerOptions, files: ['all.ts'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(folder, 'node_modules', compiler, 'bin/tsc');
  const output = await run(process.execPath, [tsc, '--pretty', 'false'], folder).catch(String);
  return output.split('\n').filter((line) => line.includes('error TS'));
}

test.each(['ts-5.7', 'ts-7.0'])(
  '%s compiles the declarations with the lowest @types',
  async (compiler) => {
    expect(await compile(compiler, withoutH3, false)).toEqual([]);
    expect(await compile(compiler, ofH3, true)).toEqual([]);
  },
  9 * 60_000,
);

test("@chairside/h3 needs skipLibCheck only for h3's own declarations", async () => {
  const errors = await compile('ts-7.0', ofH3, false);
  expect(errors.filter((line) => !line.startsWith('node_modules/h3/'))).toEqual([]);
  // Once h3's compile, the documents need no word about it.
  expect(errors).not.toEqual([]);
});
