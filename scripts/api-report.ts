// Writes docs/api/<package>.txt: the public declarations of every package, without comments. `--check`
// writes nothing, and fails where a report is out of date. A change of a report is a change of the API.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import ts from 'typescript';
import { packageFolders } from './packages.ts';

const root = join(import.meta.dirname, '..');
const condition = '@chairside/source';

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly exports?: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
}

interface Entry {
  /** The package, and the subpath of its `exports`. */
  readonly name: string;
  readonly file: string;
}

function entriesOf(folder: string): readonly Entry[] {
  const text = readFileSync(join(folder, 'package.json'), 'utf8');
  const manifest: Manifest = JSON.parse(text);
  if (manifest.private === true) return [];
  return Object.entries(manifest.exports ?? {}).flatMap(([path, target]) => {
    const file = typeof target === 'string' ? undefined : target[condition];
    // Programs have no declarations.
    return file === undefined || !/\.ts$/.test(file)
      ? []
      : [{ name: join(manifest.name, path), file: join(folder, file) }];
  });
}

const entries = new Map(packageFolders.map((folder) => [folder, entriesOf(folder)]));

const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
const files = [...entries.values()].flat().map(({ file }) => file);
const program = ts.createProgram([...files, join(root, 'globals.d.ts')], {
  ...options,
  noEmit: false,
  declaration: true,
  emitDeclarationOnly: true,
  removeComments: true,
});
const checker = program.getTypeChecker();

/** The declarations of a source file, as its users see them. */
const declarations = new Map<string, ts.SourceFile>();
function declarationsOf(file: ts.SourceFile): ts.SourceFile {
  const known = declarations.get(file.fileName);
  if (known !== undefined) return known;
  let text = '';
  program.emit(file, (_, written) => {
    text = written;
  });
  const parsed = ts.createSourceFile(`${file.fileName}.d.ts`, text, ts.ScriptTarget.Latest, true);
  declarations.set(file.fileName, parsed);
  return parsed;
}

function declares(statement: ts.Statement, name: string): boolean {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.some((one) => one.name.getText() === name);
  }
  const isNamed =
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement);
  return isNamed && statement.name?.text === name;
}

/** The declarations of one export, in one line each. */
function linesOf(exported: ts.Symbol): readonly string[] {
  const isAlias = (exported.flags & ts.SymbolFlags.Alias) !== 0;
  const symbol = isAlias ? checker.getAliasedSymbol(exported) : exported;
  const file = symbol.declarations?.[0]?.getSourceFile();
  if (file === undefined) throw new Error(`${exported.name} has no declaration`);
  if (!file.fileName.startsWith(join(root, 'packages/'))) return [`${exported.name}: from outside`];
  const found = declarationsOf(file).statements.filter((one) => declares(one, symbol.name));
  if (found.length === 0) throw new Error(`${exported.name} is not found in ${file.fileName}`);
  const lines = found.map((one) => {
    const line = one
      .getText()
      .replace(/^(export )?(declare )?/, '')
      .replaceAll(/\s+/g, ' ');
    return symbol.name === exported.name ? line : `${exported.name} = ${line}`;
  });
  return [...lines, ...computedMembers(symbol)];
}

const asWritten =
  ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.UseAliasDefinedOutsideCurrentScope;

/** The members of an interface that extends a computed type, such as `Bound<typeof operations>`. */
function computedMembers(symbol: ts.Symbol): readonly string[] {
  const [declaration] = symbol.declarations ?? [];
  if (declaration === undefined || !ts.isInterfaceDeclaration(declaration)) return [];
  const extended = declaration.heritageClauses?.flatMap(({ types }) => types) ?? [];
  const computed = extended.filter(({ typeArguments = [] }) => typeArguments.some(isRecords));
  return computed.flatMap((type) => membersOf(symbol.name, checker.getTypeAtLocation(type)));
}

const isRecords = (node: ts.TypeNode) => node.getText() === 'typeof operations';

/** The compiler orders a union by its other files. */
const sorted = (type: string) =>
  type.replaceAll(/ProblemOf<([^<>]*)>/g, (_, union: string) => {
    return `ProblemOf<${union.split(' | ').sort().join(' | ')}>`;
  });

function membersOf(path: string, type: ts.Type): readonly string[] {
  return type.getProperties().flatMap((property) => {
    const own = checker.getTypeOfSymbol(property);
    const at = `${path}.${property.name}`;
    return own.getCallSignatures().length === 0
      ? membersOf(at, own)
      : [`${at}: ${sorted(checker.typeToString(own, undefined, asWritten))}`];
  });
}

function reportOf({ name, file }: Entry): string {
  const source = program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  if (module === undefined) return `# ${name}\n\n(no exports)\n`;
  const lines = checker.getExportsOfModule(module).flatMap(linesOf).sort();
  return `# ${name}\n\n${lines.join('\n')}\n`;
}

mkdirSync(join(root, 'docs/api'), { recursive: true });
for (const [folder, own] of entries) {
  if (own.length === 0) continue;
  const path = join(root, 'docs/api', `${basename(folder)}.txt`);
  const report = own.map(reportOf).join('\n');
  if (!process.argv.includes('--check')) {
    writeFileSync(path, report);
  } else if (readFileSync(path, 'utf8') !== report) {
    console.error(`${path} is out of date: run \`npx --yes pnpm api:report\`, and compare`);
    process.exitCode = 1;
  }
}
