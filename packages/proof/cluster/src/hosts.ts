// Hosts are network namespaces of this machine, joined by a bridge, so that their links can be cut.
import { type ChildProcess, execFileSync, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';

const network = '10.99.0';
/** The address of this process, which all hosts reach. */
export const ownAddress = `${network}.1`;

export const hosts = {
  db1: `${network}.11`,
  db2: `${network}.12`,
  db3: `${network}.13`,
  proxy: `${network}.20`,
  node1: `${network}.31`,
  node2: `${network}.32`,
  node3: `${network}.33`,
} as const;
export type Host = keyof typeof hosts;

export const dbs = ['db1', 'db2', 'db3'] as const;
export type Db = (typeof dbs)[number];
export const nodes = ['node1', 'node2', 'node3'] as const;
export type NodeHost = (typeof nodes)[number];

const bridge = 'chairside0';
const spaceOf = (host: Host) => `chairside-${host}`;

export function run(command: string, ...args: readonly string[]): string {
  return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Runs a command in a host; `undefined` if it fails. */
export function tryOn(host: Host, command: string, ...args: readonly string[]): string | undefined {
  try {
    return run('ip', 'netns', 'exec', spaceOf(host), command, ...args);
  } catch {
    return undefined;
  }
}

export function createHosts(): void {
  removeHosts();
  run('ip', 'link', 'add', bridge, 'type', 'bridge');
  run('ip', 'addr', 'add', `${ownAddress}/24`, 'dev', bridge);
  run('ip', 'link', 'set', bridge, 'up');
  // cast: the keys are hosts
  const entries = Object.entries(hosts) as [Host, string][];
  for (const [host, address] of entries) {
    const space = spaceOf(host);
    const [outer, inner] = [`ch-${host}`, `in-${host}`];
    run('ip', 'netns', 'add', space);
    run('ip', 'link', 'add', outer, 'type', 'veth', 'peer', 'name', inner);
    run('ip', 'link', 'set', inner, 'netns', space);
    run('ip', 'link', 'set', outer, 'master', bridge, 'up');
    for (const args of [
      ['addr', 'add', `${address}/24`, 'dev', inner],
      ['link', 'set', inner, 'up'],
      ['link', 'set', 'lo', 'up'],
    ]) {
      run('ip', '-n', space, ...args);
    }
  }
}

export function removeHosts(): void {
  const spaces = run('ip', 'netns', 'list');
  // cast: the keys are hosts
  for (const host of Object.keys(hosts) as Host[]) {
    if (!spaces.includes(spaceOf(host))) continue;
    const left = run('ip', 'netns', 'pids', spaceOf(host)).split('\n').filter(Boolean);
    for (const pid of left) signal(Number(pid), 'SIGKILL');
    // A namespace outlives its name for a moment, and would keep the name of its link.
    removeLink(`ch-${host}`);
    run('ip', 'netns', 'delete', spaceOf(host));
  }
  removeLink(bridge);
}

function removeLink(name: string): void {
  try {
    run('ip', 'link', 'delete', name);
  } catch {
    // It is gone.
  }
}

/** Drops what arrives at `to` from `from`. With `both`, in both directions. */
export function cut(from: Host, to: Host, { both = true, ports = '' } = {}): void {
  const match = ports === '' ? [] : ['-p', 'tcp', '-m', 'multiport', '--ports', ports];
  tryOn(to, 'iptables', '-I', 'INPUT', '-s', hosts[from], ...match, '-j', 'DROP');
  if (both) cut(to, from, { both: false, ports });
}

export function heal(): void {
  for (const db of dbs) tryOn(db, 'iptables', '-F', 'INPUT');
}

export type Program = ReturnType<typeof programOn>;

/** A program on a host, which can be killed and started again. */
export function programOn(
  host: Host,
  user: 'postgres' | 'root',
  command: readonly string[],
  options: SpawnOptions = {},
) {
  let child: ChildProcess | undefined;
  const as =
    user === 'root' ? [] : ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--init-groups'];
  const isRunning = () =>
    child !== undefined && child.exitCode === null && child.signalCode === null;
  return {
    start(): void {
      if (isRunning()) return;
      child = spawn('ip', ['netns', 'exec', spaceOf(host), ...as, ...command], {
        stdio: 'ignore',
        cwd: '/',
        ...options,
      });
    },
    async kill(): Promise<void> {
      if (child === undefined || !isRunning()) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** The processes of a host whose command line contains the text. */
export function processesOn(host: Host, text: string): readonly number[] {
  const pids = run('ip', 'netns', 'pids', spaceOf(host)).split('\n').filter(Boolean);
  const listed =
    pids.length === 0 ? '' : tryOn(host, 'ps', '-o', 'pid=,args=', '-p', pids.join(','));
  return (listed ?? '')
    .split('\n')
    .filter((line) => line.includes(text))
    .map((line) => Number.parseInt(line, 10));
}

export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}
