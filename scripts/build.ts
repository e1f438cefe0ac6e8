// Builds the published packages whose `dist` is missing or older than their sources. `--force`
// builds all.
import { spawn } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { build as bundle } from 'esbuild';
import { packageFolders } from './packages.ts';

const root = join(import.meta.dirname, '..');
const packagesFolder = join(root, 'packages');
const shared = ['package.json', 'tsconfig.json', 'scripts/build.ts'].map((file) =>
  join(root, file),
);
const modified = (path: string) => statSync(path).mtimeMs;

/** The files in the `exports` of a package, by condition. */
function exported(folder: string, condition: string): string[] {
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return Object.values<Record<string, string>>(exports ?? {})
    .flatMap((path) => path[condition] ?? [])
    .map((path) => join(folder, path));
}

export interface Wanted {
  /** Declarations need the compiler, which a server that only runs does not install. */
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

async function toJavaScript(folder: string): Promise<void> {
  const dist = join(folder, 'dist');
  rmSync(dist, { recursive: true, force: true });
  const source = join(folder, 'src');
  const entries = exported(folder, '@chairside/source').map(
    (path) => [relative(source, path).replace(/\.ts$/, ''), path] as const,
  );
  await bundle({
    // Code that two entries share moves to chunks. With a twin, `index.js` only names its exports,
    // so a bundler leaves out the chunks of those that a program does not use.
    entryPoints: Object.fromEntries([...entries, ['twin', join(source, 'index.ts')]]),
    outdir: dist,
    bundle: true,
    splitting: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node22',
    sourcemap: true,
    absWorkingDir: folder,
    logLevel: 'warning',
  });
  for (const twin of globSync('twin.js*', { cwd: dist })) rmSync(join(dist, twin));
  // Threads start from separate files, which need no declarations.
  for (const worker of globSync('*-worker.js', { cwd: source })) {
    copyFileSync(join(source, worker), join(dist, basename(worker)));
  }
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  for (const path of Object.values<string>(bin ?? {})) chmodSync(join(folder, path), 0o755);
}

function run(args: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`${args} ended with ${code}`)),
    );
  });
}

/** The declarations that the entries need, which leaves out most of the inside of a package. */
function reachable(folder: string, entries: readonly string[]): ReadonlySet<string> {
  const found = new Set(entries);
  for (const file of found) {
    const text = readFileSync(join(folder, file), 'utf8');
    for (const [, path = ''] of text.matchAll(/["'](\.[^"']*)\.ts["']/g)) {
      found.add(join(dirname(file), `${path}.d.ts`));
    }
  }
  return found;
}

/** All declarations by one run of the compiler, moved to the packages that were built. */
async function toDeclarations(packages: readonly string[]): Promise<void> {
  const work = mkdtempSync(join(root, 'node_modules/.declarations-'));
  try {
    const config = join(work, 'tsconfig.json');
    const outDir = join(work, 'out');
    const compilerOptions = {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      stripInternal: true,
      rootDir: packagesFolder,
      outDir,
    };
    const include = packages.map((folder) => join(folder, 'src'));
    const files = [join(root, 'globals.d.ts')];
    const settings = { extends: join(root, 'tsconfig.json'), compilerOptions, include, files };
    writeFileSync(config, JSON.stringify(settings));
    await run([join(root, 'node_modules/typescript-7/bin/tsc'), '-p', config]);
    for (const folder of packages) {
      const own = join(outDir, relative(packagesFolder, folder), 'src');
      const entries = exported(folder, 'types').map((path) => relative(join(folder, 'dist'), path));
      for (const file of reachable(own, entries)) {
        const text = readFileSync(join(own, file), 'utf8');
        const target = join(folder, 'dist', file);
        mkdirSync(dirname(target), { recursive: true });
        writeFileSync(target, text.replaceAll(/(["'])(\.[^"']*)\.ts\1/g, '$1$2.js$1'));
      }
    }
  } finally {
    rmSync(work, { recursive: true });
  }
}

export async function build(wanted: Wanted): Promise<void> {
  const packages = packageFolders.filter((folder) =>
    exported(folder, '@chairside/source').some((path) => existsSync(path)),
  );
  if (!process.argv.includes('--force') && !isStale(packages, wanted)) return;

  const started = new Date();
  await Promise.all(packages.map(toJavaScript));
  if (wanted.types) await toDeclarations(packages);
  // A source that was edited during the build counts as newer.
  for (const path of packages.flatMap((folder) => outputs(folder, wanted))) {
    utimesSync(path, started, started);
  }
  console.error(`built ${packages.length} packages in ${Date.now() - started.getTime()} ms`);
}

if (import.meta.main) await build({ types: true });
