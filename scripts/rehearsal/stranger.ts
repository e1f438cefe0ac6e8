import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Manager } from './managers.ts';
import { freePort } from './registry.ts';
import { type Env, fresh, run } from './run.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/guide/first-payment.md'), 'utf8');
const firstOutputMs = 30_000;

export interface Place {
  readonly folder: string;
  /** The folder of the package managers' programs. */
  readonly tools: string;
  readonly url: string;
}

export interface Taken {
  readonly seconds: number;
  readonly commands: readonly string[];
}

/** The lines of the page's block that begins with this comment. */
function blockOf(name: string): readonly string[] {
  const blocks = [...page.matchAll(/^```\w+\n(.*?)^```$/gms)].map(([, code = '']) => code);
  const found = blocks.find((code) => code.startsWith(`# ${name}\n`));
  if (found === undefined) throw new Error(`the page has no block for ${name}`);
  return found.trim().split('\n').slice(1);
}

/** The page's program and its three requests. */
export async function takePayment(manager: Manager, place: Place): Promise<Taken> {
  const [, program = ''] = /^```js\n(.*?)^```$/ms.exec(page) ?? [];
  const [, pay = ''] = /^## The payment\n.*?^```sh\n(.*?)^```$/ms.exec(page) ?? [];
  const prepare = (project: string) => writeFileSync(join(project, 'server.js'), program);
  return follow(blockOf(manager.name), pay, manager, place, prepare);
}

/** A project that `create-chairside` writes. */
export async function takePaymentFromTemplate(manager: Manager, place: Place): Promise<Taken> {
  const commands = blockOf(`${manager.name}, with a template`);
  return follow(commands.slice(0, -1), commands.at(-1) ?? '', manager, place);
}

/** All commands but the last end; the last is a server, which `pay` then calls. */
async function follow(
  commands: readonly string[],
  pay: string,
  manager: Manager,
  { folder, tools, url }: Place,
  prepare: (project: string) => void = () => {},
): Promise<Taken> {
  // A new home has no caches.
  const home = mkdtempSync(join(folder, `${manager.name}-`));
  const base = fresh({ HOME: home, PORT: `${await freePort()}`, ...manager.settings(url) });
  const env = { ...base, PATH: [tools, base['PATH']].join(delimiter) };
  const project = join(home, 'shop');
  const began = performance.now();
  await run(commands.slice(0, -1).join('\n'), home, env);
  prepare(project);
  const stop = await serve(commands.at(-1) ?? '', project, env);
  try {
    const text = await run(pay, project, env);
    if (!/captured/.test(text) || !text.includes('45.00')) throw new Error(text);
  } finally {
    await stop();
  }
  const [line = '', ...more] = pay.trim().split('\n');
  const last = more.length > 0 ? ['the three requests of the page'] : [line];
  return { seconds: (performance.now() - began) / 1000, commands: [...commands, ...last] };
}

async function serve(line: string, project: string, env: Env): Promise<() => Promise<void>> {
  // A process group of its own, so that a package manager ends together with its server.
  const child = spawn('bash', ['-ec', line], { cwd: project, env: { ...env }, detached: true });
  const exited = once(child, 'exit');
  let output = '';
  const listens = new Promise<void>((resolve, reject) => {
    const heard = (chunk: Buffer) => {
      output += chunk;
      if (output.includes('listening')) resolve();
    };
    child.stdout.on('data', heard);
    child.stderr.on('data', heard);
    child.once('exit', () => reject(new Error(`${line}\n${output}`)));
    setTimeout(() => reject(new Error(`no server: ${line}\n${output}`)), firstOutputMs).unref();
  });
  const stop = async () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
    await exited;
  };
  await listens.catch(async (error) => {
    await stop();
    throw error;
  });
  return stop;
}
