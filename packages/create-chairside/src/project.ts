import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type Choice, type Choices, common, hosts, ours, processors, stores } from './choices.ts';

const own = join(import.meta.dirname, '..');
const template = join(own, 'template');

/** The folder of the packed packages in a project that installs them from files. */
const vendor = 'vendor';

/**
 * Writes the project into a new or empty folder. Returns the paths of its files, or why it cannot.
 * @param packed a folder with the packed packages, which the project then installs from its own copies.
 */
export function createProject(
  folder: string,
  { host, store, processor }: Choices,
  packed?: string,
): readonly string[] | { readonly why: string } {
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    return { why: `${folder} is not empty.` };
  }
  const choices: readonly Choice[] = [common, hosts[host], stores[store], processors[processor]];
  const name = nameOf(folder);
  const layers = ['base', `host/${host}`, `store/${store}`, `processor/${processor}`];
  const env = choices.flatMap((choice) => choice.env ?? []);
  const copies = packed === undefined ? undefined : copiesOf(packed, choices);
  if (copies !== undefined && 'why' in copies) return copies;
  const files = new Map([
    ['package.json', json(manifest(name, choices, copies))],
    ['tsconfig.json', json(compiler(choices))],
    [
      '.gitignore',
      'node_modules/\ndist/\n.next/\nnext-env.d.ts\n*.tsbuildinfo\n*.db*\n*.ndjson\n.env\n',
    ],
    ...(copies === undefined ? [] : [['pnpm-workspace.yaml', overrides(copies)] as const]),
    ...envFiles(env),
    ...layers.flatMap((layer) => filesOf(layer, [host, store, processor])),
  ]);
  const words = {
    NAME: name,
    HOST: hosts[host].name,
    STORE: stores[store].name,
    PROCESSOR: processors[processor].name,
    SERVER: choices.findLast(({ server }) => server !== undefined)?.server ?? '',
  };
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(
      join(folder, path),
      /^(?:README|compose|\.env)/.test(path) ? inWords(text, words) : text,
      // Only its owner may read secrets.
      { mode: path === '.env' ? 0o600 : 0o666 },
    );
  }
  for (const { file, path } of copies?.values() ?? []) cpSync(file, join(folder, path));
  return [...files.keys()].sort();
}

/** npm accepts these names only. */
function nameOf(folder: string): string {
  const name = basename(resolve(folder))
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-');
  return name.replaceAll(/^-+|-+$/g, '') || 'shop';
}

/** A packed package, and its place in the project. */
interface Copy {
  readonly file: string;
  readonly path: string;
}
type Copies = ReadonlyMap<string, Copy>;

/** The packages of this repository that the choices need. */
export function packagesOf({ host, store, processor }: Choices): readonly string[] {
  return oursOf([common, hosts[host], stores[store], processors[processor]]);
}

const oursOf = (choices: readonly Choice[]): readonly string[] =>
  choices.flatMap(({ dependencies, devDependencies }) =>
    Object.entries({ ...dependencies, ...devDependencies }).flatMap(([name, range]) =>
      range === ours ? [name] : [],
    ),
  );

function copiesOf(packed: string, choices: readonly Choice[]): Copies | { readonly why: string } {
  const copies = new Map<string, Copy>();
  for (const name of oursOf(choices)) {
    const file = `${name.replace('@', '').replace('/', '-')}-${ownVersion()}.tgz`;
    if (!existsSync(join(packed, file))) return { why: `${join(packed, file)} does not exist.` };
    copies.set(name, { file: join(packed, file), path: `${vendor}/${file}` });
  }
  return copies;
}

const ownVersion = (): string =>
  JSON.parse(readFileSync(join(own, 'package.json'), 'utf8')).version;

const fileOf = ({ path }: Copy) => `file:${path}`;

/** pnpm looks for what a package needs in the registry, unless this names its file. */
const overrides = (copies: Copies) =>
  `overrides:\n${[...copies].map(([name, copy]) => `  "${name}": ${fileOf(copy)}\n`).join('')}`;

function manifest(name: string, choices: readonly Choice[], copies: Copies | undefined) {
  const named = (at: string) => {
    const copy = copies?.get(at);
    return copy === undefined ? `^${ownVersion()}` : fileOf(copy);
  };
  const versions = (kind: 'dependencies' | 'devDependencies') =>
    Object.fromEntries(
      choices
        .flatMap((choice) => Object.entries(choice[kind] ?? {}))
        .map(([at, range]) => [at, range === ours ? named(at) : range] as const)
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  return {
    name,
    private: true,
    type: 'module',
    engines: { node: '>=22.18' }, // runs TypeScript without a flag
    scripts: merged(choices.map(({ scripts }) => scripts)),
    dependencies: versions('dependencies'),
    devDependencies: versions('devDependencies'),
    // The same for yarn and bun.
    ...(copies && {
      resolutions: Object.fromEntries([...copies].map(([at, copy]) => [at, fileOf(copy)])),
    }),
  };
}

const compiler = (choices: readonly Choice[]) => ({
  compilerOptions: merged(choices.map(({ compilerOptions }) => compilerOptions)),
  include: ['src', 'test', 'chairside.config.ts'],
});

const merged = (parts: readonly (object | undefined)[]): object => Object.assign({}, ...parts);

const json = (value: object) => `${JSON.stringify(value, null, 2)}\n`;

function envFiles(lines: readonly string[]): readonly (readonly [string, string])[] {
  const text = `${lines.join('\n')}\n`;
  return [
    ['.env', text],
    ['.env.example', text],
  ];
}

/** The files of a layer, without the parts that belong to other choices. */
function filesOf(layer: string, chosen: readonly string[]): readonly (readonly [string, string])[] {
  const folder = join(template, layer);
  return readdirSync(folder, { encoding: 'utf8', recursive: true }).flatMap((path) => {
    if (!statSync(join(folder, path)).isFile()) return [];
    const text = chosenParts(readFileSync(join(folder, path), 'utf8'), chosen);
    return text.trim() === '' ? [] : [[path, text] as const];
  });
}

/** Keeps `#if a b … #end`, which are comments on lines of their own, if `a` or `b` was chosen. */
function chosenParts(text: string, chosen: readonly string[]): string {
  const parts = /^[^\n]*#if ([\w ]+)[^\n]*\n(.*?)^[^\n]*#end[^\n]*\n/gms;
  return text.replaceAll(parts, (_, names: string, part: string) =>
    names.split(' ').some((name) => chosen.includes(name)) ? part : '',
  );
}

const inWords = (text: string, words: Readonly<Record<string, string>>) =>
  text.replaceAll(/\b[A-Z]{4,}\b/g, (word) => words[word] ?? word);
