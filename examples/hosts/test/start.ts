import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Host } from './conversation.ts';
import { fresh, run } from './project.ts';

/** How a host is built and started, in its folder. `PORT` stands for a free port. */
export interface Recipe {
  readonly folder: string;
  readonly build?: readonly string[];
  readonly start: readonly string[];
  /** The path that responds once the host has started. Default: `/`. */
  readonly ready?: string;
}

export async function startHost(
  { folder, build, start, ready = '' }: Recipe,
  project: string,
  settings: Readonly<Record<string, string | undefined>> = {},
): Promise<Host> {
  const cwd = join(project, folder);
  const path = [join(project, 'node_modules/.bin'), dirname(process.execPath), process.env['PATH']];
  const port = await freePort();
  const env = {
    ...fresh(),
    PATH: path.join(delimiter),
    PORT: `${port}`,
    DATABASE: join(cwd, 'payments.db'),
    NEXT_TELEMETRY_DISABLED: '1',
    ...settings,
  };
  const [builder, ...buildArgs] = build ?? [];
  if (builder !== undefined) await run(builder, buildArgs, cwd, env);

  const [command = '', ...args] = start.map((part) => part.replace(/PORT$/, `${port}`));
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: 'pipe' });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  const exited = once(child, 'exit').then(([code]) => code as number | null); // cast: of `exit`
  const host: Host = {
    url: `http://127.0.0.1:${port}`,
    stop: () => void child.kill('SIGTERM'),
    exited,
    says: (text) => until(() => output.includes(text), text),
  };
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`${folder} ended:\n${output}`);
    return (await fetch(host.url + ready).catch(() => undefined))?.ok === true;
  }, `${folder} to listen\n${output}`);
  return host;
}

export async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const endsAt = performance.now() + 60_000;
  while (!(await holds())) {
    if (performance.now() > endsAt) throw new Error(`waited too long for: ${what}`);
    await delay(50);
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
