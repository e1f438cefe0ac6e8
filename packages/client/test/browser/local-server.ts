import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface LocalServer {
  readonly url: string;
  /**
   * Kills with `kill -9`, and starts again on the same address and files. Resolves when it listens.
   */
  crash(): Promise<void>;
  stop(): Promise<void>;
}

const main = join(import.meta.dirname, '../../../../examples/local-server/src/main.ts');

/** The example's server as a separate process, with its database in a temporary folder. */
export async function startLocalServer(): Promise<LocalServer> {
  const folder = mkdtempSync(join(tmpdir(), 'chairside-client-'));
  let running = await start('0');
  const { port } = new URL(running.url);

  function start(port: string): Promise<{ readonly child: ChildProcess; readonly url: string }> {
    const child = spawn(process.execPath, ['--conditions=@chairside/source', main], {
      env: {
        PORT: port,
        CHAIRSIDE_DB: join(folder, 'chairside.db'),
        CHAIRSIDE_RATE_LIMITS: 'off',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return new Promise((resolve, reject) => {
      let said = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        said += text;
        const url = /^Chairside listens on (\S+)$/m.exec(said)?.[1];
        if (url !== undefined) resolve({ child, url });
      });
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        said += text;
      });
      child.once('exit', () => reject(new Error(`the server ended: ${said}`)));
    });
  }

  async function kill(): Promise<void> {
    const gone = once(running.child, 'exit');
    running.child.kill('SIGKILL');
    await gone;
  }

  return {
    url: running.url,
    async crash() {
      await kill();
      running = await start(port);
    },
    async stop() {
      await kill();
      rmSync(folder, { recursive: true });
    },
  };
}
