import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** One case of a suite that ran. */
export interface RunCase {
  /** The names of its groups and its own. */
  readonly fullName: string;
  readonly status: 'passed' | 'failed' | 'pending' | 'skipped';
}

interface Report {
  readonly testResults: readonly { readonly assertionResults: readonly RunCase[] }[];
}

/** A fault of an adapter, and the cases of the contract that must fail over it. */
export interface Fault {
  readonly fault: string;
  readonly caughtBy: readonly string[];
}

export interface Caught {
  readonly fault: string;
  readonly caughtBy: string;
  /** In so many runs the case failed. */
  readonly caught: number;
  /** In so many runs it was run. */
  readonly of: number;
}

/** Runs each case that is named for a fault, so many times, and counts how often it fails. */
export async function countCaught(
  file: URL,
  { faults, groupOf, runs }: CountOptions,
): Promise<readonly Caught[]> {
  const named = faults.flatMap(({ fault, caughtBy }) =>
    caughtBy.map((name) => ({ fault, caughtBy: name })),
  );
  const names = named.map(
    ({ fault, caughtBy }) => `${escaped(groupOf(fault))}.*${joined(caughtBy)}$`,
  );
  // A process for each run: the report of twenty would be too long for one text.
  const ran: RunCase[] = [];
  for (let run = 0; run < runs; run += 1) {
    ran.push(...(await runSuite(file, { pattern: `(${names.join('|')})`, runs: 1 })));
  }
  return named.map(({ fault, caughtBy }) => {
    const cases = ran.filter(
      ({ fullName, status }) =>
        /passed|failed/.test(status) &&
        fullName.includes(groupOf(fault)) &&
        fullName.endsWith(caughtBy),
    );
    const caught = cases.filter(({ status }) => status === 'failed').length;
    return { fault, caughtBy, caught, of: cases.length };
  });
}

export interface CountOptions {
  readonly faults: readonly Fault[];
  /** A part of the group's name that no other fault has. */
  groupOf(fault: string): string;
  readonly runs: number;
}

/** Runs a suite of wrong adapters in a process of its own, since most of its cases fail. */
export async function runSuite(
  file: URL,
  { pattern, runs }: { readonly pattern?: string; readonly runs: number },
): Promise<readonly RunCase[]> {
  const folder = mkdtempSync(join(tmpdir(), 'chairside-wrong-'));
  const output = join(folder, 'report.json');
  const { resolve } = createRequire(import.meta.url);
  const vitest = join(dirname(resolve('vitest/package.json')), 'vitest.mjs');
  const config = join(import.meta.dirname, 'run-suite.config.ts');
  const suite = fileURLToPath(file);
  const cwd = dirname(suite);
  const args = ['run', '--config', config, '--reporter=json', `--outputFile=${output}`, suite];
  if (pattern !== undefined) args.push('--testNamePattern', pattern);
  const env = { ...process.env, CHAIRSIDE_RUNS: `${runs}`, CHAIRSIDE_SUITE_FOLDER: cwd };
  try {
    // It exits with a failure, as it should. The report counts.
    await new Promise((ended) => {
      const options = { env, cwd, maxBuffer: 2 ** 30 };
      execFile(process.execPath, [vitest, ...args], options, ended);
    });
    const report: Report = JSON.parse(readFileSync(output, 'utf8'));
    return report.testResults.flatMap(({ assertionResults }) => assertionResults);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Vitest puts a mark between the names of groups where a report has a space. */
function joined(name: string): string {
  return escaped(name).replaceAll(' ', '( > | )');
}

/** A pattern that matches exactly this text. */
function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
