import { closeSync, fdatasyncSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { median } from './load.ts';

/**
 * The machine's properties that decide the figures. If a flush takes no time, choose another
 * folder.
 */
export function describeMachine(folder: string): string {
  const [load = 0] = loadavg();
  return [
    `${availableParallelism()} cores (${cpus()[0]?.model})`,
    `Node ${process.version}`,
    `load ${load.toFixed(1)}`,
    `a flush to ${folder} takes ${flushMs(folder).toFixed(2)} ms`,
  ].join(', ');
}

function flushMs(folder: string): number {
  const path = join(folder, 'flush');
  const file = openSync(path, 'w');
  const page = Buffer.alloc(4096);
  const times = Array.from({ length: 50 }, () => {
    const startedAt = performance.now();
    writeSync(file, page);
    fdatasyncSync(file);
    return performance.now() - startedAt;
  });
  closeSync(file);
  rmSync(path);
  return median(times);
}

/** Starts a CPU profile of this process. The returned function ends it and writes the file. */
export async function startProfile(file: string | undefined): Promise<() => Promise<void>> {
  if (file === undefined) return async () => {};
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.start');
  return async () => {
    const { profile } = await session.post('Profiler.stop');
    writeFileSync(file, JSON.stringify(profile));
  };
}
