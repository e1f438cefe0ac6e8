// Declarations must work for a package's users. Each import in them is a dependency or a peer, and
// the `@types` of untyped ones are dependencies too.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { packageFolders } from './packages.ts';

interface Manifest {
  readonly private?: boolean;
  readonly types?: string;
  readonly typings?: string;
  readonly exports?: unknown;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** The package name of an import: `@a/b/c` belongs to `@a/b`. */
const packageOf = (name: string) => name.split('/', name.startsWith('@') ? 2 : 1).join('/');

function imported(folder: string): ReadonlySet<string> {
  const files = globSync('dist/**/*.d.ts', { cwd: folder });
  const names = files.flatMap((file) => {
    const { importedFiles } = ts.preProcessFile(readFileSync(join(folder, file), 'utf8'));
    return importedFiles.map(({ fileName }) => fileName);
  });
  return new Set(names.filter((name) => !/^(\.|node:)/.test(name)).map(packageOf));
}

function bringsTypes(folder: string): boolean {
  const { types, typings, exports } = manifestOf(folder);
  return (
    (types ?? typings) !== undefined ||
    JSON.stringify(exports ?? '').includes('.d.') ||
    existsSync(join(folder, 'index.d.ts'))
  );
}

function faults(folder: string): string[] {
  const { dependencies = {}, peerDependencies = {} } = manifestOf(folder);
  return [...imported(folder)].flatMap((name) => {
    if (!(name in dependencies || name in peerDependencies)) return [`${name} is no dependency`];
    const types = `@types/${name.replace('@', '').replace('/', '__')}`;
    if (bringsTypes(join(folder, 'node_modules', name)) || types in dependencies) return [];
    return [`${types} is no dependency`];
  });
}

const packages = packageFolders.filter((folder) => manifestOf(folder).private !== true);
let count = 0;
for (const folder of packages) {
  for (const fault of faults(folder)) {
    console.error(`${folder}: its declarations are not complete: ${fault}`);
    count += 1;
  }
}
console.log(`${count} declarations that an installed package would miss`);
process.exitCode = count > 0 ? 1 : 0;
