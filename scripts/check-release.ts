// Checks that the packages can be published from this commit. Arguments: the tag, such as v1.2.3, and the
// address of the repository that the release is built in.
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolders } from './packages.ts';

const root = join(import.meta.dirname, '..');
const [tag = '', repository = ''] = process.argv.slice(2);
const read = (path: string) => readFileSync(join(root, path), 'utf8');

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly repository?: { readonly url: string };
}

const faults: string[] = [];
for (const folder of packageFolders) {
  const manifest: Manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  if (manifest.private === true) continue;
  const { name, version } = manifest;
  if (`v${version}` !== tag)
    faults.push(`${name} has the version ${version}, and the tag is ${tag}`);
  // The registry compares it with the provenance, and rejects another one.
  const url = manifest.repository?.url;
  if (url !== `git+${repository}.git`) faults.push(`${name} names the repository ${url}`);
}
if (!read('CHANGELOG.md').includes(`\n## ${tag.slice(1)} `))
  faults.push(`CHANGELOG.md lacks ${tag}`);
if (globSync('.changeset/*.md', { cwd: root }).some((path) => !path.endsWith('README.md'))) {
  faults.push('changesets are pending: run `npx --yes pnpm changeset version`');
}
// Databases keep the hash of each text that they have run, and are refused if one differs (D206).
const git = (...args: readonly string[]) =>
  execFileSync('git', ['-C', root, ...args], { encoding: 'utf8' })
    .split('\n')
    .filter(Boolean);
const [last] = git('tag', '--list', 'v*', '--sort=-v:refname').filter((one) => one !== tag);
if (last !== undefined) {
  const folders = ['packages/sqlite/src/migrations', 'packages/postgres/src/migrations'];
  const edited = git(
    'diff',
    '--name-only',
    '--no-renames',
    '--diff-filter=a',
    last,
    '--',
    ...folders,
  );
  for (const path of edited) faults.push(`${path} was released in ${last}, and differs now`);
}
for (const fault of faults) console.error(fault);
console.log(`${faults.length} reasons not to publish`);
process.exitCode = faults.length > 0 ? 1 : 0;
