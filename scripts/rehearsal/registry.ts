import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fresh, run } from './run.ts';

const startTimeoutMs = 60_000;

export interface Registry {
  readonly url: string;
  stop(): Promise<void>;
}

/** A verdaccio that holds our packages, and fetches all others from the registry that npm uses here. */
export async function startRegistry(folder: string): Promise<Registry> {
  const home = join(folder, 'registry');
  mkdirSync(home);
  const manifest = {
    private: true,
    dependencies: { verdaccio: '6.10.4' },
    overrides: { 'node-fetch': '2.7.0' }, // asked for by a tag that mirrors lack
  };
  writeFileSync(join(home, 'package.json'), JSON.stringify(manifest));
  await run('npm install --no-audit --no-fund --prefer-offline', home, fresh());
  const port = await freePort();
  writeFileSync(join(home, 'config.yaml'), await settings(home));
  const log = openSync(join(home, 'log'), 'a');
  const program = join(home, 'node_modules/.bin/verdaccio');
  const args = ['--config', 'config.yaml', '--listen', `127.0.0.1:${port}`];
  const child = spawn(program, args, {
    cwd: home,
    env: { ...fresh() },
    stdio: ['ignore', log, log],
  });
  const exited = once(child, 'exit');
  const url = `http://127.0.0.1:${port}/`;
  const endsAt = performance.now() + startTimeoutMs;
  while (!(await fetch(`${url}-/ping`).catch(() => undefined))?.ok) {
    if (child.exitCode !== null || performance.now() > endsAt) {
      throw new Error(`verdaccio did not start:\n${readFileSync(join(home, 'log'), 'utf8')}`);
    }
    await delay(100);
  }
  return {
    url,
    async stop() {
      child.kill();
      await exited;
    },
  };
}

async function settings(home: string): Promise<string> {
  const [uplink, ca] = await Promise.all(
    ['registry', 'cafile'].map(async (name) =>
      (await run(`npm config get ${name}`, home, fresh())).trim(),
    ),
  );
  const anyone = { access: '$all', publish: '$all', unpublish: '$all' };
  return JSON.stringify({
    storage: join(home, 'storage'),
    uplinks: { usual: { url: uplink, ...(ca !== 'null' && ca !== '' && { ca }), max_fails: 100 } },
    packages: {
      '@chairside/*': anyone,
      'create-chairside': anyone,
      '**': { access: '$all', proxy: 'usual' },
    },
    log: { type: 'stdout', format: 'pretty', level: 'warn' },
    max_body_size: '50mb',
  });
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
