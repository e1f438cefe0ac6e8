import { rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { createHistogram, type Histogram } from 'node:perf_hooks';
import type { Load } from './load.ts';

/** The properties that decide the figures. If a flush takes no time, choose another folder. */
export function describeMachine(folder: string): string {
  const path = join(folder, 'flush');
  const startedAt = performance.now();
  for (let n = 0; n < 50; n += 1) writeFileSync(path, Buffer.alloc(4096), { flush: true });
  const flushMs = (performance.now() - startedAt) / 50;
  rmSync(path);
  const cores = `${availableParallelism()} cores (${cpus()[0]?.model})`;
  const flush = `load ${loadavg()[0]?.toFixed(1)}, a flush takes ${flushMs.toFixed(2)} ms`;
  return [new Date().toISOString(), cores, `Node ${process.version}`, flush].join(', ');
}

/** The times of some operations over all rounds, by default of all. */
export function timesOf(rounds: readonly Pick<Load, 'times'>[], ...operations: string[]) {
  const sum = createHistogram();
  for (const [name, one] of rounds.flatMap(({ times }) => [...times])) {
    if (operations.length === 0 || operations.includes(name)) sum.add(one);
  }
  return sum;
}

/** A percentile in milliseconds, of a histogram in microseconds. */
export const msAt = (times: Histogram, percentile: number) =>
  times.count === 0 ? 0 : times.percentile(percentile) / 1000;

export const show = (ms: number) => ms.toFixed(ms < 10 ? 2 : ms < 100 ? 1 : 0);
export const tails = ['p50', 'p99', 'p99.9'];
export const tailsOf = (times: Histogram = createHistogram()) =>
  [50, 99, 99.9].map((percentile) => show(msAt(times, percentile)));

export const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Prints a Markdown table. */
export function print(title: string, head: readonly string[], rows: readonly string[][]): void {
  const lines = [head, head.map((_, n) => (n === 0 ? '---' : '--:')), ...rows];
  const widths = head.map((_, n) => Math.max(...lines.map((row) => row[n]?.length ?? 0)));
  const cell = (width: number, text = '', n = 0) =>
    n === 0 ? text.padEnd(width) : text.padStart(width);
  console.log(`\n${title}\n`);
  for (const row of lines) {
    console.log(`| ${widths.map((width, n) => cell(width, row[n], n)).join(' | ')} |`);
  }
}
