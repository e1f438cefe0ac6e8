import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type AuthContext, createChairside } from '@chairside/core';
import { createFakeProcessor } from '@chairside/fake-processor';
import { chairsideHandler } from '@chairside/h3';
import { createNodeServer } from '@chairside/h3/node';
import {
  aBarber,
  aBusiness,
  anAppointment,
  createManualClock,
  createMapStore,
} from '@chairside/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';

const example = join(import.meta.dirname, '..');
const root = join(example, '../..');
const document = join(root, 'docs/openapi.json');
mkdirSync(join(example, '.data'), { recursive: true });
// Inside the package, so that the generated code finds openapi-fetch.
const folder = mkdtempSync(join(example, '.data/'));
afterAll(() => rmSync(folder, { recursive: true }));

const ada: AuthContext = { subject: 'ada', barberId: 'barber-1' };
let server: ReturnType<typeof createNodeServer>;
let baseUrl = '';

beforeAll(async () => {
  const clock = createManualClock();
  const processor = createFakeProcessor({ clock });
  const chairside = createChairside({ store: createMapStore(), processor, clock });
  const { records } = chairside;
  for (const put of [
    await records.putBusiness(aBusiness()),
    await records.putBarber(aBarber()),
    await records.putAppointment(anAppointment({ id: 'haircut' })),
    await records.putAppointment(anAppointment({ id: 'paid', amountDueMinor: 0n })),
  ]) {
    expect(put.isOk()).toBe(true);
  }
  const authenticate = (token: string) => (token === 'session-of-ada' ? ada : undefined);
  server = createNodeServer(chairsideHandler(chairside, { authenticate }));
  const { port } = await server.listen(0);
  baseUrl = `http://127.0.0.1:${port}`;
});
afterAll(() => server.close());

/** Runs a tool of this package, and returns its output. */
function run(tool: string, ...args: readonly string[]): string {
  const path = join(example, 'node_modules/.bin', tool);
  const { status, stdout, stderr } = spawnSync(path, args, { cwd: folder, encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  return stdout;
}

const strictest = {
  compilerOptions: {
    module: 'nodenext',
    target: 'es2024',
    lib: ['ES2024', 'DOM', 'DOM.Iterable'],
    types: [],
    outDir: 'out',
    allowUnreachableCode: false,
    allowUnusedLabels: false,
    erasableSyntaxOnly: true,
    exactOptionalPropertyTypes: true,
    isolatedModules: true,
    noFallthroughCasesInSwitch: true,
    noImplicitOverride: true,
    noImplicitReturns: true,
    noPropertyAccessFromIndexSignature: true,
    noUncheckedIndexedAccess: true,
    noUnusedLocals: true,
    noUnusedParameters: true,
    skipLibCheck: false,
    strict: true,
    verbatimModuleSyntax: true,
  },
  include: ['*.ts'],
};

/** Compiles the folder at the strictest setting, and returns the errors. */
function compile(): readonly string[] {
  const compiler = join(root, 'node_modules/typescript-7/bin/tsc');
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(strictest));
  const { stdout } = spawnSync(process.execPath, [compiler, '-p', folder], {
    cwd: folder,
    encoding: 'utf8',
  });
  return stdout.split('\n').filter((line) => line.includes(': error TS'));
}

interface Payer {
  readonly pay: (baseUrl: string, token: string, appointmentId: string) => Promise<string>;
}

it('clients of three generators compile, pay, and read the outcome of an error', async () => {
  cpSync(join(example, 'clients'), folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  run('openapi-typescript', document, '-o', 'generated/openapi-typescript/schema.ts');
  run('openapi-ts', '-i', document, '-o', 'generated/hey-api', '-c', '@hey-api/client-fetch');
  writeFileSync(
    join(folder, 'orval.config.mjs'),
    `export default ${JSON.stringify({
      chairside: {
        input: document,
        output: { target: 'generated/orval/client.ts', client: 'fetch', mode: 'single', baseUrl },
      },
    })}`,
  );
  run('orval', '--config', 'orval.config.mjs');

  // The generator's own run-time code is not written for `exactOptionalPropertyTypes`.
  const own = compile().filter(
    (line) => !/^generated\/hey-api\/(client|core)\/.*exactOptionalPropertyTypes/.test(line),
  );
  expect(own).toEqual([]);

  for (const name of ['openapi-typescript', 'hey-api', 'orval']) {
    const { href } = pathToFileURL(join(folder, `out/${name}.js`));
    const { pay }: Payer = await import(href);
    const answers = [
      await pay(baseUrl, 'session-of-ada', 'haircut'),
      await pay(baseUrl, 'session-of-ada', 'paid'),
      await pay(baseUrl, 'session-of-ada', 'nothing'),
      await pay(baseUrl, 'nobody', 'haircut'),
    ];
    expect(answers, name).toEqual([
      'created 45.00',
      'already paid, notApplied',
      '404, notApplied',
      '401, unknown',
    ]);
  }
}, 120_000);
