// Writes docs/coverage.md: what there is, the file that does it, the test that proves it.
// `--check` writes nothing, and fails where a row has no test or the page is out of date.
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { routes } from '../packages/h3/src/index.ts';
import { decisionProofs, limits, operationSpecs, type Proof, rowProofs } from './coverage-data.ts';

const root = join(import.meta.dirname, '..');
const page = 'docs/coverage.md';
const tableSpec = 'packages/spec/test/errorTable.spec.ts';
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const parse = (path: string) => ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest, true);
const files = (pattern: string) =>
  globSync(pattern, { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .sort();

// Tests, by the names that their files give them.

interface Test {
  readonly file: string;
  readonly title: string;
}

/** `it('…')`, `it.each(…)('…')`, `describe('…')`, `describeEverywhere('…')`: what is named, and how. */
function namedBy(call: ts.CallExpression): { group: boolean; title: string } | undefined {
  const [kind] = /^(it|test|describe\w*)\b/.exec(call.expression.getText()) ?? [];
  const [title] = call.arguments;
  if (kind === undefined || title === undefined) return undefined;
  if (!ts.isStringLiteralLike(title) && !ts.isTemplateExpression(title)) return undefined;
  const text = ts.isStringLiteralLike(title) ? title.text : title.getText().slice(1, -1);
  return { group: kind.startsWith('describe'), title: text };
}

function testsOf(file: string): readonly Test[] {
  const found: Test[] = [];
  const visit = (node: ts.Node, groups: readonly string[]): void => {
    const named = ts.isCallExpression(node) ? namedBy(node) : undefined;
    const path = named === undefined ? groups : [...groups, named.title];
    if (named?.group === false) found.push({ file, title: path.join(' > ') });
    ts.forEachChild(node, (child) => visit(child, named?.group === true ? path : groups));
  };
  visit(parse(file), []);
  return found;
}

const contracts = 'packages/testkit/src/{**/*contract,*/contract/*}.ts';
const tests = [...files('{packages,examples}/*/test/**/*.{test,spec}.ts'), ...files(contracts)]
  .flatMap(testsOf)
  // Titles of contract suites begin with the name that they are given.
  .map(({ file, title }) => ({ file, title: title.replace(/^.*\$\{name\}[^>]*> /, '') }));

function proven([file, title]: Proof): Test | undefined {
  return tests.find((test) => test.file === file && test.title.includes(title));
}

// Rows, and what they lack.

const lacking: string[] = [];

/** The tests of a row, as links; a row without one is noted. */
function cell(row: string, found: readonly (Test | undefined)[]): string {
  if (found.length === 0 || found.includes(undefined)) lacking.push(row);
  const there = found.filter((test) => test !== undefined);
  if (there.length === 0) return '**none**';
  const links = there.map(({ file, title }) => link(file, title.split(' > ').at(-1) ?? title));
  return [...new Set(links)].join('<br>');
}

function link(path: string, text = path.replace(/^packages\//, '')): string {
  const safe = text.replaceAll(/[|[\]<>]/g, (char) => `\\${char}`).replaceAll('\n', ' ');
  return `[${safe}](../${path})`;
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n');
}

// Operations: the folder, and the route table.

const operationFiles = files('packages/core/src/operations/*.ts');
const nameOf = (file: string) => file.replace(/^.*\/|\.ts$/g, '');

function specOf(operation: string): readonly Test[] {
  const own = `packages/spec/test/${operation}.spec.ts`;
  const file = existsSync(join(root, own)) ? own : operationSpecs[operation];
  const all = tests.filter((test) => test.file === file);
  return all.length === 0 ? [] : [{ file: all[0]?.file ?? '', title: nameOf(all[0]?.file ?? '') }];
}

function operationRows(): string[][] {
  return operationFiles.map((file) => {
    const name = nameOf(file);
    const route = routes.find(({ operation }) => operation === name);
    const where = route === undefined ? 'for the host' : `${route.method} \`${route.path}\``;
    return [link(file, name), where, cell(`operation ${name}`, specOf(name))];
  });
}

// The error table: each row is a property in the spec, which runs it everywhere.

const always = ['unauthorized', 'tooManyRequests', 'serviceUnavailable', 'internalError'];

/** Operation → the types of problem that the spec brings about for it. */
function specifiedRows(): ReadonlyMap<string, readonly string[]> {
  const rows = new Map<string, string[]>();
  const names = (node: ts.ObjectLiteralExpression) =>
    node.properties.flatMap((property) =>
      property.name !== undefined && ts.isIdentifier(property.name) ? [property.name.text] : [],
    );
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && node.name.getText() === 'table') {
      const { initializer } = node;
      if (initializer === undefined || !ts.isObjectLiteralExpression(initializer)) return;
      for (const row of initializer.properties) {
        if (!ts.isPropertyAssignment(row) || !ts.isObjectLiteralExpression(row.initializer))
          continue;
        rows.set(row.name.getText(), names(row.initializer));
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(parse(tableSpec));
  return rows;
}

/** The types in `export type …Error = ProblemOf<…>`, as the operation's file declares them. */
function declaredTypes(file: string): readonly string[] {
  const [, union = ''] = /Error = ProblemOf<([^;]*?)>;/.exec(read(file)) ?? [];
  return [...union.matchAll(/'(\w+)'/g)].map(([, type = '']) => type);
}

function errorRows(): string[][] {
  const specified = specifiedRows();
  return operationFiles.flatMap((file) => {
    const name = nameOf(file);
    const isRouted = routes.some(({ operation }) => operation === name);
    const types = [...declaredTypes(file), ...(isRouted ? always : [])];
    return types.map((type) => {
      const row = `${name}: ${type}`;
      const inTable =
        specified.has(name) && [...always, ...(specified.get(name) ?? [])].includes(type);
      const elsewhere = rowProofs[row];
      const found = inTable ? [{ file: tableSpec, title: row }] : elsewhere && [proven(elsewhere)];
      return [link(file, name), `\`${type}\``, cell(`error ${row}`, found ?? [])];
    });
  });
}

// Limits, from the data beside this script.

function limitRows(): string[][] {
  return limits.map(({ field, limit, file, proofs }) => {
    if (!existsSync(join(root, file))) lacking.push(`limit ${field}: no file ${file}`);
    return [field, limit, link(file), cell(`limit ${field}`, proofs.map(proven))];
  });
}

// Decisions: the files that quote a number, the tests that do, and those of the data.

const decided = [
  ...[...read('docs/decisions.md').matchAll(/^### (D\d+) (.+)$/gm)].map(([, number, title]) => ({
    number: number ?? '',
    title: title ?? '',
    path: 'docs/decisions.md',
  })),
  ...files('docs/decisions/*.md').map((path) => {
    const [, number = '', title = ''] = /^# (D\d+) (.+)$/m.exec(read(path)) ?? [];
    return { number, title, path };
  }),
];

const sources = files('packages/{core,h3,sqlite,postgres,stripe,fake-processor}/src/**/*.ts').map(
  (path) => ({ path, text: read(path) }),
);

/** The files that quote the number; the pages of D50 and on name their files themselves. */
function filesOf(number: string, path: string): readonly string[] {
  const quoted = sources.filter(({ text }) => new RegExp(`\\b${number}\\b`).test(text));
  const section = path.endsWith('decisions.md')
    ? (read(path)
        .split(/^(?=### )/m)
        .find((part) => part.startsWith(`### ${number} `)) ?? '')
    : read(path);
  const named = [...section.matchAll(/\]\((?:\.\.\/)+((?:packages|docs)\/[^)#]+)\)/g)];
  const paths = [...named.map(([, file = '']) => file), ...quoted.map(({ path }) => path)];
  return [...new Set(paths)];
}

const maxFiles = 4;

/** As GitHub makes it from a heading. */
function slug(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

function decisionRows(): string[][] {
  return decided.map(({ number, title, path }) => {
    const quoting = tests.filter((test) => new RegExp(`\\b${number}\\b`).test(test.title));
    const found = [...quoting, ...(decisionProofs[number] ?? []).map(proven)];
    const all = filesOf(number, path);
    if (all.length === 0) lacking.push(`decision ${number}: no file`);
    const anchor = path.endsWith('decisions.md') ? `#${slug(`${number} ${title}`)}` : '';
    const more = all.length > maxFiles ? `<br>and ${all.length - maxFiles} more` : '';
    return [
      `[${number}](${path.replace('docs/', '')}${anchor}) ${title}`,
      all
        .slice(0, maxFiles)
        .map((file) => link(file))
        .join('<br>') + more,
      cell(`decision ${number}`, found),
    ];
  });
}

/** Measured by hand, and written down beside this script. */
function mutation(): string {
  const path = 'scripts/mutation-score.json';
  return existsSync(join(root, path)) ? JSON.parse(read(path)).text : 'Not measured yet.';
}

const operations = operationRows();
const errors = errorRows();
const bounds = limitRows();
const decisions = decisionRows();

// Unlike the other pages it is not formatted: padding its tables would double its size.
const text = `# Coverage

Written by \`npx --yes pnpm docs:coverage\`; not to be edited by hand. Each row names the file that does
it and the tests that prove it. A row without a test fails \`docs:coverage --check\`. That a test is named
here says that it exists; that it passes, the test run says.

${operations.length} operations, ${errors.length} rows of errors, ${bounds.length} limits, ${decisions.length} decisions.

## Operations

${table(['Operation', 'Route', 'Spec'], operations)}

## Errors

Rows of ${link(tableSpec)} are run over every store, in process and over HTTP;
what only a transport can bring about, over HTTP.

${table(['Operation', 'Problem', 'Test'], errors)}

## Limits

${table(['Field', 'Limit', 'File', 'Test'], bounds)}

## Decisions

${table(['Decision', 'Files', 'Tests'], decisions)}

## Mutation testing

${mutation()}
`;

if (process.argv.includes('--check')) {
  if (!existsSync(join(root, page)) || read(page) !== text) {
    lacking.push(`${page} is out of date: run \`npx --yes pnpm docs:coverage\``);
  }
} else {
  writeFileSync(join(root, page), text);
}
for (const row of lacking) console.error(`coverage: ${row}`);
console.log(`${tests.length} tests, ${lacking.length} rows to mend`);
process.exitCode = lacking.length > 0 ? 1 : 0;
