import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { contactlessPaymentSchema } from '@chairside/core/ports';
import * as v from 'valibot';
import { afterAll, expect, inject, test } from 'vitest';
import { fresh, newFolder, run } from './project.ts';
import { freePort } from './start.ts';

const root = join(import.meta.dirname, '../../..');
const page = readFileSync(join(root, 'docs/guide/first-payment.md'), 'utf8');
const folder = newFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));

/** The code of the project by hand, in its order. */
const byHand = page.slice(page.indexOf('## By hand'));
const blocks = (language: string) =>
  [...byHand.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(
    ([, code = '']) => code,
  );

test('one command packs every published package in a clean clone', () => {
  const manifests = globSync('packages/{*,proof/*}/package.json', { cwd: root }).map((path) =>
    JSON.parse(readFileSync(join(root, path), 'utf8')),
  );
  const published = manifests.flatMap(({ name, version, private: isPrivate }) =>
    isPrivate === true ? [] : [`${name.replace('@', '').replace('/', '-')}-${version}.tgz`],
  );
  expect(globSync('*.tgz', { cwd: inject('tarballs') }).sort()).toEqual(published.sort());
});

test('the page leads from nothing to a captured payment', async () => {
  // The first command, which packs, ran before this test.
  mkdirSync(join(folder, 'chairside'));
  symlinkSync(inject('tarballs'), join(folder, 'chairside/tarballs'));
  const [project = '', start = '', payment = ''] = blocks('sh');
  const [packs = '', ...commands] = project.split('\n');
  expect(packs).toContain('pnpm pack:all');
  const port = await freePort();
  const path = [dirname(process.execPath), process.env['PATH']].join(delimiter);
  const env = { ...fresh(), PATH: path, PORT: `${port}` };

  const installing = performance.now();
  await run('bash', ['-ec', commands.join('\n')], folder, env);
  const installed = performance.now();
  const shop = join(folder, 'shop');
  writeFileSync(join(shop, 'server.js'), blocks('js')[0] ?? '');
  const options = { cwd: shop, env: { ...process.env, ...env }, stdio: 'pipe' } as const;
  const server = spawn('bash', ['-ec', `exec ${start}`], options);
  try {
    await once(server.stdout, 'data'); // it listens
    const pay = () => run('bash', ['-ec', payment], shop, env);
    const text = await pay();
    const paid = performance.now();
    const captured = v.parse(contactlessPaymentSchema, JSON.parse(text));
    expect(captured).toMatchObject({ state: 'captured', amount: '45.00' });
    expect(await pay(), 'pasted again').toBe(text);
    const second = run('bash', ['-ec', `exec ${start}`], shop, env);
    await expect(second, 'a second server on the port').rejects.toThrow('EADDRINUSE');
    const seconds = (from: number, to: number) => ((to - from) / 1000).toFixed(1);
    console.log(
      `installed in ${seconds(installing, installed)} s, paid in ${seconds(installed, paid)} s`,
    );
  } finally {
    server.kill();
  }
});
