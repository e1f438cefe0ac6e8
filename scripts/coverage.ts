// Checks that every operation, error, limit and decision has a test, and prints those without one.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { operations, type ProblemType } from '@chairside/core';
import ts from 'typescript';
import { clientCases, hostCases } from '../packages/proof/spec/src/operation-table.ts';
import { limits, type Proof, rowProofs } from './coverage-data.ts';

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const parse = (path: string) => ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest, true);
const files = (pattern: string) =>
  globSync(pattern, { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .sort();

// Tests, by the names in their files.

interface Test {
  readonly file: string;
  readonly title: string;
}

/** The name in `it('…')`, `it.each(…)('…')`, `describe('…')` or `describeEverywhere('…')`. */
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

const contracts = 'packages/proof/testkit/src/{**/*contract,*/contract/*}.ts';
const tests = [
  ...files('{packages,packages/proof,examples}/*/test/**/*.{test,spec}.ts'),
  ...files(contracts),
]
  .flatMap(testsOf)
  // Titles of contract suites begin with the given name.
  .map(({ file, title }) => ({ file, title: title.replace(/^.*\$\{name\}[^>]*> /, '') }));

function hasTest([file, title]: Proof): boolean {
  return tests.some((test) => test.file === file && test.title.includes(title));
}

// Rows, and their missing proofs.

const lacking: string[] = [];

function check(row: string, isProven: boolean): string {
  if (!isProven) lacking.push(row);
  return row;
}

// Operations: the records. A spec names each of them, or the operation table does.

const specs = files('packages/proof/spec/{src/operation-table,test/*.spec}.ts').map(read);

function operationRows(): string[] {
  return Object.keys(operations).map((name) => {
    const isNamed = new RegExp(`\\.${name}\\b|'${name}'|^ +${name}(:|,| })`, 'm');
    return check(
      `operation ${name}`,
      specs.some((spec) => isNamed.test(spec)),
    );
  });
}

// The error table: its spec runs every problem of every operation of clients. The spec of access runs each cell of
// the operation table, for the operations of hosts too.

const always = ['unauthorized', 'tooManyRequests', 'serviceUnavailable', 'internalError'];
const clientNames = Object.keys(clientCases);
const cells = Object.entries(hostCases).flatMap(([name, { access }]) =>
  Object.values(access).flatMap((row) => row.map((cell) => `${name}: ${cell}`)),
);

/** The problems of an operation, or of all in a group. */
function problemsOf(one: object): readonly ProblemType[] {
  if ('problems' in one) return one.problems as readonly ProblemType[]; // cast: a record
  return [...new Set(Object.values(one).flatMap(problemsOf))];
}

function errorRows(): string[] {
  return Object.entries(operations).flatMap(([name, one]) => {
    const types = [...problemsOf(one), ...('group' in one ? always : [])];
    return types.map((type) => {
      const row = `${name}: ${type}`;
      const proof = rowProofs[row];
      const isProven = proof === undefined ? isInTable(row, name) : hasTest(proof);
      return check(`error ${row}`, isProven);
    });
  });
}

const isInTable = (row: string, name: string) => clientNames.includes(name) || cells.includes(row);

// Limits, from the data beside this script.

function limitRows(): string[] {
  return Object.entries(limits).map(([limit, proof]) => check(`limit ${limit}`, hasTest(proof)));
}

// Decisions: the files and tests that quote a number.

const decided = files('docs/decisions/[0-9]*.md').flatMap((path) =>
  [...read(path).matchAll(/^##? (D\d+) /gm)].map(([, number = '']) => ({ number, path })),
);

const sources = files('packages/{core,h3,sqlite,postgres,stripe,fake-processor}/src/**/*.ts').map(
  (path) => ({ path, text: read(path) }),
);

/** The files that quote the number, and those that its page names. */
function filesOf(number: string, path: string): readonly string[] {
  const quoted = sources.filter(({ text }) => new RegExp(`\\b${number}\\b`).test(text));
  const named = [...read(path).matchAll(/\]\((?:\.\.\/)+((?:packages|docs|examples)\/[^)#]+)\)/g)];
  return [...named.map(([, file = '']) => file), ...quoted.map(({ path: source }) => source)];
}

function decisionRows(): string[] {
  return decided.map(({ number, path }) => {
    const quotes = new RegExp(`\\b${number}\\b`);
    if (filesOf(number, path).length === 0) lacking.push(`decision ${number}: no file`);
    return check(
      `decision ${number}`,
      tests.some(({ title }) => quotes.test(title)),
    );
  });
}

const rows = [...operationRows(), ...errorRows(), ...limitRows(), ...decisionRows()];
// Proofs of removed rows fail too, so that none is left behind.
const stale = Object.keys(rowProofs).filter((name) => !rows.includes(`error ${name}`));
lacking.push(...stale.map((name) => `${name}: the proof of a row that is gone`));
for (const row of lacking) console.error(`coverage: ${row}`);
console.log(`${tests.length} tests, ${rows.length} rows, ${lacking.length} without a proof`);
process.exitCode = lacking.length > 0 ? 1 : 0;
