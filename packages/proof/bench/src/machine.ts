import { closeSync, fdatasyncSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { median, type Span } from './load.ts';

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

const sampleMs = 20;

/**
 * Samples the CPU time of this process, in all its threads. The returned function ends that, and
 * returns the CPU time in microseconds of a second of this span.
 */
export function meterCpu(): (span: Span) => number {
  const samples: { readonly at: number; readonly microseconds: number }[] = [];
  const take = () => {
    const { user, system } = process.cpuUsage();
    samples.push({ at: performance.timeOrigin + performance.now(), microseconds: user + system });
  };
  const timer = setInterval(take, sampleMs);
  return ({ from, until }) => {
    clearInterval(timer);
    const within = samples.filter(({ at }) => at >= from && at <= until);
    const [first, last] = [within[0], within.at(-1)];
    if (first === undefined || last === undefined || first === last) return 0;
    return ((last.microseconds - first.microseconds) * 1000) / (last.at - first.at);
  };
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
