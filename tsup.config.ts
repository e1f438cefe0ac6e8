// Builds every published package into its `dist`: `npx --yes pnpm build`.
import { execFile } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { defineConfig, type Options } from 'tsup';

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const root = process.cwd();
const read = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));

/** All of them, unless these are named. */
const wanted = process.env['CHAIRSIDE_PACKAGES']?.split(',');

const folders = globSync('packages/{*,proof/*}/package.json', { cwd: root })
  .map((path) => dirname(path))
  .filter((folder) => read(folder).private !== true)
  .filter((folder) => wanted === undefined || wanted.includes(read(folder).name));

/**
 * The folder of all declarations. One run of the fast compiler makes them in 3 s, where tsup's own take 5 s for each package.
 */
async function declare(): Promise<string> {
  const outDir = mkdtempSync(join(root, 'node_modules/.declarations-'));
  process.once('exit', () => rmSync(outDir, { recursive: true, force: true }));
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    stripInternal: true,
    rootDir: join(root, 'packages'),
    outDir,
  };
  const files = [join(root, 'globals.d.ts')];
  const include = folders.map((folder) => join(root, folder, 'src'));
  const exclude = [join(root, 'packages/**/*.test.ts')];
  const base = join(root, 'tsconfig.json');
  const settings = { extends: base, compilerOptions, files, include, exclude };
  const project = join(outDir, 'tsconfig.json');
  writeFileSync(project, JSON.stringify(settings));
  const tsc = join(root, 'node_modules/typescript-7/bin/tsc');
  await promisify(execFile)(process.execPath, [tsc, '--project', project]);
  return outDir;
}

const declared = declare();

/** `(D22)`, `(D22, D54)`: where the sources cite a decision, which users of the packages do not have. */
const citation = /\s*(?:\n\s*\*\s*)?\(D\d+(?:(?:,| and) (?:\* )?D\d+)*\)/g;

async function complete(folder: string, { bin = {} }: Manifest): Promise<void> {
  const dist = join(folder, 'dist');
  for (const twin of globSync('twin.js*', { cwd: dist })) rmSync(join(dist, twin));
  // Threads start from separate files, which need no declarations.
  for (const worker of globSync(`${folder}/src/*-worker.js`)) {
    cpSync(worker, join(dist, basename(worker)));
  }
  for (const path of Object.values(bin)) chmodSync(join(folder, path), 0o755);
  const types = join(await declared, relative('packages', folder), 'src');
  for (const file of globSync('**/*.d.ts', { cwd: types })) {
    const text = readFileSync(join(types, file), 'utf8');
    mkdirSync(dirname(join(dist, file)), { recursive: true });
    const published = text.replaceAll(/(["'])(\.[^"']*)\.ts\1/g, '$1$2.js$1');
    writeFileSync(join(dist, file), published.replaceAll(citation, ''));
  }
}

export default defineConfig(
  folders.map((folder): Options => {
    const manifest = read(folder);
    const sources = Object.values(manifest.exports).flatMap(
      (path) => path['@chairside/source'] ?? [],
    );
    const entries = sources.map((path) => [
      path.slice('./src/'.length, -'.ts'.length),
      join(folder, path),
    ]);
    return {
      // Code that two entries share moves to chunks. With a twin, `index.js` only names its exports,
      // so a bundler leaves out the chunks of those that a program does not use.
      entry: { ...Object.fromEntries(entries), twin: join(folder, 'src/index.ts') },
      outDir: join(folder, 'dist'),
      clean: true,
      format: 'esm',
      platform: 'node',
      target: 'node22',
      sourcemap: true,
      // Stack traces need the lines alone. The texts would be a third of what users install.
      esbuildOptions(options) {
        options.sourcesContent = false;
      },
      skipNodeModulesBundle: true,
      removeNodeProtocol: false,
      silent: true,
      onSuccess: () => complete(folder, manifest),
    };
  }),
);
