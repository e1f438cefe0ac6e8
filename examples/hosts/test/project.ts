import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../../..');
const hosts = join(import.meta.dirname, '..');

/** A command that may take minutes. Its output is in the error if it fails. */
export async function run(
  command: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<string> {
  const options = { cwd, env: { ...process.env, ...env }, timeout: 9 * 60_000, maxBuffer: 2 ** 24 };
  const { stdout } = await promisify(execFile)(command, [...args], options).catch((error) => {
    throw new Error(`${command} ${args.join(' ')}\n${error.stdout}\n${error.stderr}`);
  });
  return stdout;
}

/** The files of this repository as a clone would have them, with uncommitted changes. */
async function clone(folder: string): Promise<string> {
  const listed = await run('git', ['ls-files', '-z', '-co', '--exclude-standard'], root);
  for (const file of listed.split('\0').filter((path) => existsSync(join(root, path)))) {
    if (file === '') continue;
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(root, file), join(folder, file));
  }
  return folder;
}

/** Packs every package by the documented command, in a clean clone. Returns the tarballs' folder. */
export async function pack(folder: string): Promise<string> {
  const given = process.env['CHAIRSIDE_TARBALLS'];
  if (given !== undefined) return given;
  // npm passes settings of the outer run on by the environment, which no fresh shell has.
  await run('npx', ['--yes', 'pnpm', 'pack:all'], await clone(join(folder, 'chairside')), fresh());
  return join(folder, 'chairside', 'tarballs');
}

/**
 * The environment of a person who opens a terminal. npm reads the machine's settings, for example its certificates,
 * from a path beside its Node. The tests run another Node, so they pass that path on.
 */
export function fresh(): Readonly<Record<string, string | undefined>> {
  const inherited = Object.keys(process.env).filter((name) =>
    /^(npm_(?!config_globalconfig$)|pnpm_|VITEST|NODE_ENV|NODE_OPTIONS)/.test(name),
  );
  return Object.fromEntries(inherited.map((name) => [name, undefined]));
}

export function tarball(tarballs: string, name: string): string {
  const [found] = globSync(`{chairside-,}${name}-[0-9]*.tgz`, { cwd: tarballs });
  if (found === undefined) throw new Error(`${name} was not packed`);
  return join(tarballs, found);
}

/** The dependencies in a host's own package.json. */
function dependenciesOf(folder: string): Readonly<Record<string, string>> {
  const manifest = JSON.parse(readFileSync(join(hosts, folder, 'package.json'), 'utf8'));
  return { ...manifest.dependencies, ...manifest.devDependencies };
}

export function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'hosts-'));
}

const packages = ['core', 'fake-processor', 'h3', 'sqlite', 'testkit'];

/** One project for all hosts, with the packed packages: installing them one by one takes minutes. */
export async function makeProject(
  folder: string,
  tarballs: string,
  names: readonly string[],
): Promise<string> {
  const dependencies = {
    ...Object.fromEntries(names.flatMap((name) => Object.entries(dependenciesOf(name)))),
    '@types/node': '^24.0.0',
    typescript: '6.0.3',
    ...Object.fromEntries(
      packages.map((name) => [`@chairside/${name}`, `file:${tarball(tarballs, name)}`]),
    ),
  };
  const project = join(folder, 'project');
  for (const name of ['shop', ...names]) {
    cpSync(join(hosts, name), join(project, name), {
      recursive: true,
      // SvelteKit bundles what its own package.json does not name.
      filter: (path) => basename(path) !== 'node_modules',
    });
  }
  writeFileSync(
    join(project, 'package.json'),
    JSON.stringify({ private: true, type: 'module', dependencies }),
  );
  await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund'], project, fresh());
  return project;
}
