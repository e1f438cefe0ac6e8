import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { expect, onTestFinished, test } from 'vitest';
import { newPath } from './server.ts';

const root = join(import.meta.dirname, '../../..');
const connections = 64;
const creates = 2000;
const quota = { limit: 1_000_000, windowMs: 60_000 };

/** The command of `pnpm start`, with its flags. */
function startServer(): ChildProcess {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const args: string[] = scripts.start.replace(/.* exec node /, '').split(' ');
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      PORT: '0',
      BASE_URL: '', // vitest sets one
      CHAIRSIDE_DB: newPath(),
      CHAIRSIDE_RATE_LIMITS: JSON.stringify({ reads: quota, writes: quota }),
    },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** The server, which the started process watches. A compiler may run beside it. */
function serverOf({ pid }: ChildProcess): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  const isServer = (child: string) =>
    readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('main.ts');
  return Number(children.find(isServer));
}

/** Leaves out Node's program. The number of its pages in memory depends on how its file lies on the disk. */
function ownMiB(pid: number): number {
  const [, kibibytes] = /RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kibibytes) / 1024;
}

function urlOf({ stdout }: ChildProcess): Promise<string> {
  let said = '';
  return new Promise((resolve, reject) => {
    stdout?.on('data', (text) => {
      said += String(text);
      const [url] = /http:\/\/[\w.:]+/.exec(said) ?? [];
      if (url !== undefined) resolve(url);
    });
    stdout?.on('end', () => reject(new Error('The server ended')));
  });
}

test.runIf(process.platform === 'linux')(
  'the local server keeps its memory within bounds',
  async () => {
    const watcher = startServer();
    const url = await urlOf(watcher);
    const server = serverOf(watcher);
    // The memory that only the start needs is free after a moment: 59 MiB are left.
    await expect.poll(() => ownMiB(server), { timeout: 30_000 }).toBeLessThan(67);
    const idle = ownMiB(server);
    const headers = { authorization: 'Bearer demo-barber', 'content-type': 'application/json' };
    let left = creates;
    let most = 0;
    const client = async () => {
      while (left > 0) {
        left -= 1;
        const body = JSON.stringify({ amountDue: '45.00' });
        const made = await fetch(`${url}/demo/appointments`, { method: 'POST', headers, body });
        const { id } = v.parse(v.object({ id: v.string() }), await made.json());
        const opened = await fetch(`${url}/appointments/${id}/contactlessPayments`, {
          method: 'POST',
          headers: { ...headers, 'idempotency-key': id },
          body: '{}',
        });
        expect(opened.status).toBe(201);
        await opened.body?.cancel();
        if (left % 100 === 0) most = Math.max(most, ownMiB(server));
      }
    };
    await Promise.all(Array.from({ length: connections }, client));
    expect(most).toBeGreaterThan(idle);
    expect(most).toBeLessThan(190);
  },
  300_000,
);
