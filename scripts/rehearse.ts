// Rehearses a release on this machine: publishes the packed packages to a verdaccio on loopback, installs them by
// name in an empty folder, and takes the payment of `docs/guide/first-payment.md`.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'rehearsal-'));
const page = readFileSync(join(root, 'docs/guide/first-payment.md'), 'utf8');
const registry = 'http://127.0.0.1:4873/';
const shopPort = '4874';
const startTimeoutMs = 60_000;

/** A new terminal's, without the settings that npm and pnpm pass to their scripts, and with an empty home. */
const env: NodeJS.ProcessEnv = { HOME: folder, PORT: shopPort };
for (const [name, value] of Object.entries(process.env)) {
  if (!/^(npm_(?!config_globalconfig$)|pnpm_|NODE_ENV$|NODE_OPTIONS$)/.test(name))
    env[name] ??= value;
}
env['PATH'] = [dirname(process.execPath), env['PATH']].join(delimiter);

function run(line: string, cwd: string): string {
  console.log(`$ ${line}`);
  return execFileSync('bash', ['-ec', line], { cwd, env, encoding: 'utf8' });
}

/** Runs a server while `use` runs, in a process group, so that it ends together with what it started. */
async function serve(line: string, cwd: string, url: string, use: () => void | Promise<void>) {
  console.log(`$ ${line}`);
  const child = spawn('bash', ['-ec', line], { cwd, env, detached: true, stdio: 'inherit' });
  const exited = once(child, 'exit');
  const endsAt = performance.now() + startTimeoutMs;
  try {
    while ((await fetch(url).catch(() => undefined)) === undefined) {
      if (child.exitCode !== null || performance.now() > endsAt) throw new Error(`failed: ${line}`);
      await delay(100);
    }
    await use();
  } finally {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
    await exited;
  }
}

function blockOf(pattern: RegExp): string {
  const [, code] = pattern.exec(page) ?? [];
  if (code === undefined) throw new Error(`the page has no ${pattern}`);
  return code.trim();
}

/** The registry holds our packages, and fetches all others from the one that npm uses here. */
function prepareRegistry(home: string): void {
  mkdirSync(home);
  const dependencies = { verdaccio: '6.10.4' };
  const overrides = { 'node-fetch': '2.7.0' }; // asked for by a tag that mirrors lack
  writeFileSync(join(home, 'package.json'), JSON.stringify({ dependencies, overrides }));
  run('npm install --no-audit --no-fund --silent', home);
  const [url, ca] = ['registry', 'cafile'].map((name) =>
    run(`npm config get ${name}`, home).trim(),
  );
  const ours = { access: '$all', publish: '$all' };
  const config = {
    storage: join(home, 'storage'),
    uplinks: { usual: { url, ...(ca !== 'null' && ca !== '' && { ca }), max_fails: 100 } },
    packages: {
      '@chairside/*': ours,
      'create-chairside': ours,
      '**': { access: '$all', proxy: 'usual' },
    },
    log: { type: 'stdout', format: 'pretty', level: 'warn' },
    max_body_size: '50mb',
  };
  writeFileSync(join(home, 'config.yaml'), JSON.stringify(config));
}

/** Installs by name; the page's program and its three requests. */
async function takePayment(): Promise<void> {
  const shop = join(folder, 'shop');
  mkdirSync(shop);
  writeFileSync(join(shop, 'package.json'), '{ "type": "module" }');
  run('npm install express@5 @chairside/{core,sqlite,fake-processor,h3}', shop);
  writeFileSync(join(shop, 'server.js'), blockOf(/^```js\n(.*?)^```$/ms));
  await serve('node server.js', shop, `http://127.0.0.1:${shopPort}`, () => {
    const text = run(blockOf(/^## The payment\n.*?^```sh\n(.*?)^```$/ms), shop);
    if (!/captured/.test(text) || !text.includes('45.00')) throw new Error(text);
  });
}

try {
  const home = join(folder, 'registry');
  prepareRegistry(home);
  env['npm_config_registry'] = registry;
  const verdaccio = 'node_modules/.bin/verdaccio --config config.yaml --listen 127.0.0.1:4873';
  await serve(verdaccio, home, `${registry}-/ping`, () => {
    // npm asks for a token before it publishes; this registry takes any, and installs without.
    const token = join(folder, '.npmrc');
    writeFileSync(token, `${registry.replace('http:', '')}:_authToken=any\n`);
    for (const tarball of globSync('tarballs/*.tgz', { cwd: root }).sort()) {
      run(`npm publish ./${tarball} --provenance=false --access public`, root);
    }
    rmSync(token);
    return takePayment();
  });
  console.log('a new project installed the packages by name, and its payment was captured');
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
