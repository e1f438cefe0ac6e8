import { execFile } from 'node:child_process';
import { delimiter, dirname } from 'node:path';
import { promisify } from 'node:util';

const timeoutMs = 10 * 60_000;

export type Env = Readonly<Record<string, string | undefined>>;

/** Runs a line of bash. Its output is in the error if it fails. */
export async function run(line: string, cwd: string, env: Env): Promise<string> {
  const options = { cwd, env: { ...env }, timeout: timeoutMs, maxBuffer: 2 ** 25 };
  const { stdout } = await promisify(execFile)('bash', ['-ec', line], options).catch((error) => {
    throw new Error(`${line}\n${error.stdout}\n${error.stderr}`);
  });
  return stdout;
}

/** The environment of a new terminal, without the settings that npm and pnpm pass to their scripts. */
export function fresh(more: Env = {}): Env {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(npm_(?!config_globalconfig$)|pnpm_|NODE_ENV$|NODE_OPTIONS$)/.test(name),
  );
  const path = [dirname(process.execPath), process.env['PATH']].join(delimiter);
  return { ...Object.fromEntries(kept), PATH: path, ...more };
}
