// Preloaded by `pnpm start`: ends the server together with its starter.
//
// Ctrl-C and a signal to pnpm reach the server. A signal to `npx` alone ends npm's shell and leaves
// pnpm running. So when npm or its shell has ended, the server gets that SIGTERM.
import { spawnSync } from 'node:child_process';
import { isMainThread } from 'node:worker_threads';

/** The process ids of npm and its shell, if this process runs under `npx`. */
function npm(): number[] {
  let below: number[] = [];
  for (let pid = process.ppid; pid > 1; ) {
    const { stdout } = spawnSync('ps', ['-o', 'ppid=,command=', '-p', `${pid}`], {
      encoding: 'utf8',
    });
    const [, parent, command = ''] = /^\s*(\d+)\s+(.*)/.exec(stdout ?? '') ?? [];
    below = [pid, ...below.slice(0, 1)];
    if (/^npm exec|\bnpx\b/.test(command)) return below;
    pid = Number(parent ?? 0);
  }
  return [];
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

if (isMainThread) {
  const above = npm();
  const timer = setInterval(() => {
    if (above.every(isAlive)) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, 500).unref();
}
