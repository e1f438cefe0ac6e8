// Takes a payment under Hermes: `npx --yes pnpm --filter @chairside/client check:hermes`. Its
// engine (57 MB) is installed for the run alone. It is an old one without classes and async
// functions, which apps compile away anyway. Newer engines have at least its features.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import ts from 'typescript';

const platforms: Readonly<Record<string, string>> = { linux: 'linux64-bin', darwin: 'osx-bin' };
const platform = platforms[process.platform];
const folder = mkdtempSync(join(tmpdir(), 'chairside-hermes-'));

try {
  if (platform === undefined) throw new Error('hermes-engine-cli runs on Linux and macOS');
  const engine = ['install', '--no-save', '--prefix', folder, 'hermes-engine-cli@0.12.0'];
  execFileSync('npm', engine, { stdio: 'ignore' });
  const script = join(folder, 'payment.js');
  writeFileSync(script, lowered(await bundled()));
  const hermes = join(folder, 'node_modules/hermes-engine-cli', platform, 'hermes');
  const said = execFileSync(hermes, [script], { encoding: 'utf8', timeout: 60_000 }).trim();
  console.log(said);
  if (!said.startsWith('captured')) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true });
}

async function bundled(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'hermes-payment.ts')],
    bundle: true,
    format: 'iife',
    target: 'es2020',
    conditions: ['@chairside/source'],
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}

function lowered(source: string): string {
  const compilerOptions = { target: ts.ScriptTarget.ES5, downlevelIteration: true };
  return ts.transpileModule(source, { compilerOptions }).outputText;
}
