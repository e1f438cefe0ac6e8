// Builds the published packages whose `dist` is missing or older than their sources. `--force`
// builds all.
import { spawn } from 'node:child_process';
import { existsSync, globSync, readFileSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolders } from './packages.ts';

const root = join(import.meta.dirname, '..');
const shared = ['package.json', 'tsconfig.json', 'tsup.config.ts'].map((file) => join(root, file));
const modified = (path: string) => statSync(path).mtimeMs;

/** The files in the `exports` of a package, by condition. */
function exported(folder: string, condition: string): string[] {
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return Object.values<Record<string, string>>(exports ?? {})
    .flatMap((path) => path[condition] ?? [])
    .map((path) => join(folder, path));
}

export interface Wanted {
  /** Declarations take most of a build, and running does not need them. */
  readonly types: boolean;
}

const outputs = (folder: string, { types }: Wanted) => [
  ...exported(folder, 'default'),
  ...(types ? exported(folder, 'types') : []),
];

/** Declarations of one package may include types of another, so any source makes all stale. */
function isStale(packages: readonly string[], wanted: Wanted): boolean {
  const inputs = packages.flatMap((folder) => [
    join(folder, 'package.json'),
    join(folder, 'src'),
    ...globSync('src/**', { cwd: folder }).map((path) => join(folder, path)),
  ]);
  const built = packages.flatMap((folder) => outputs(folder, wanted));
  if (!built.every((path) => existsSync(path))) return true;
  return Math.max(...[...shared, ...inputs].map(modified)) > Math.min(...built.map(modified));
}

function tsup(folder: string, { types }: Wanted): Promise<void> {
  const cli = join(root, 'node_modules/tsup/dist/cli-default.js');
  const dts = types ? '--dts' : '--no-dts';
  const args = [cli, '--config', join(root, 'tsup.config.ts'), dts];
  const child = spawn(process.execPath, args, { cwd: folder, stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`${folder} was not built`)),
    );
  });
}

export async function build(wanted: Wanted): Promise<void> {
  const packages = packageFolders.filter((folder) =>
    exported(folder, '@chairside/source').some((path) => existsSync(path)),
  );
  if (!process.argv.includes('--force') && !isStale(packages, wanted)) return;

  const started = new Date();
  // Packages are checked against each other's sources, so none waits for another.
  await Promise.all(packages.map((folder) => tsup(folder, wanted)));
  // A source that was edited during the build counts as newer.
  for (const path of packages.flatMap((folder) => outputs(folder, wanted))) {
    utimesSync(path, started, started);
  }
  console.error(`built ${packages.length} packages in ${Date.now() - started.getTime()} ms`);
}

if (import.meta.main) await build({ types: true });
