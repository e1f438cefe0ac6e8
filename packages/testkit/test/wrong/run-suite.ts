import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** One case of a suite that ran. */
export interface RunCase {
  /** The names of its groups and its own. */
  readonly fullName: string;
  readonly status: 'passed' | 'failed' | 'pending' | 'skipped';
}

interface Report {
  readonly testResults: readonly { readonly assertionResults: readonly RunCase[] }[];
}

/** Runs a suite of wrong adapters in a process of its own, since most of its cases fail. */
export async function runSuite(
  file: string,
  { pattern, runs }: { readonly pattern?: string; readonly runs: number },
): Promise<readonly RunCase[]> {
  const folder = mkdtempSync(join(tmpdir(), 'chairside-wrong-'));
  const output = join(folder, 'report.json');
  const { resolve } = createRequire(import.meta.url);
  const vitest = join(dirname(resolve('vitest/package.json')), 'vitest.mjs');
  const config = new URL('./vitest.config.ts', import.meta.url).pathname;
  const args = ['run', '--config', config, '--reporter=json', `--outputFile=${output}`, file];
  if (pattern !== undefined) args.push('--testNamePattern', pattern);
  const env = { ...process.env, CHAIRSIDE_RUNS: `${runs}` };
  try {
    // It exits with a failure, as it should. The report counts.
    await new Promise((ended) => {
      const options = { env, cwd: import.meta.dirname, maxBuffer: 2 ** 30 };
      execFile(process.execPath, [vitest, ...args], options, ended);
    });
    const report: Report = JSON.parse(readFileSync(output, 'utf8'));
    return report.testResults.flatMap(({ assertionResults }) => assertionResults);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A pattern that matches exactly this text. */
export function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
