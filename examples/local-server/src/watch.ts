// `pnpm start` runs this file: it starts the server as a child, and again after the till has killed it (D127).
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { compileOnly } from './compile-only.ts';

const main = join(import.meta.dirname, 'main.ts');
const { execArgv } = process;
/** The watch over npm is the parent's. */
const flags = execArgv.filter((flag, at) => flag !== '--import' && execArgv[at - 1] !== '--import');

/** The server's compiled code. A server that strips the types itself keeps 20 MB more. */
const compiled = join(import.meta.dirname, '../node_modules/.cache/compiled');
const env = { NODE_COMPILE_CACHE: compiled, ...process.env };
if (!existsSync(env.NODE_COMPILE_CACHE)) {
  spawnSync(process.execPath, [...flags, main, compileOnly], { env });
}

let port = process.env['PORT'];
let isEnding = false;
/** None before it has listened: on a machine without enough memory each start may be killed. */
let startsLeft = 0;
let child = start('first');

function start(when: 'first' | 'again'): ChildProcess {
  const started = spawn(process.execPath, [...flags, main], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: {
      ...env,
      ...(port !== undefined && { PORT: port }),
      CHAIRSIDE_WATCHED: when,
    },
  });
  started.on('message', (said) => {
    startsLeft = 5;
    // It comes back under the same address.
    port = portOf(said) ?? port;
  });
  started.once('exit', (code, signal) => {
    if (signal === 'SIGKILL' && startsLeft > 0 && !isEnding) {
      startsLeft -= 1;
      child = start('again');
    } else process.exitCode = code ?? 1;
  });
  return started;
}

function portOf(said: unknown): string | undefined {
  const isMessage = typeof said === 'object' && said !== null && 'url' in said;
  return isMessage ? new URL(String(said.url)).port : undefined;
}

// Ctrl-C reaches the child by itself; sent once more it does no harm.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    isEnding = true;
    child.kill(signal);
  });
}
