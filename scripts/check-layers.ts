// Imports point one way. Every import is an edge `from -> to`, and no edge may match a rule below.
// `to` is a path in this repository, or the imported package name.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import ts from 'typescript';
import { circlesOf } from './import-circles.ts';
import { twinNames } from './twin-names.ts';

interface Rule {
  readonly never: RegExp;
  readonly because: string;
  /** An edge that the rule must catch, which proves that the rule works. */
  readonly example: string;
}

/** The names of the packages below `packages/proof`. */
const proofs = globSync('packages/proof/*/package.json')
  .map((path) => JSON.parse(readFileSync(path, 'utf8')).name)
  .join('|');

const rules: readonly Rule[] = [
  {
    never:
      /^packages\/core\/src\/domain\/.* -> (?!packages\/core\/src\/domain\/|valibot$|neverthrow$|@noble\/hashes\/)/,
    because: 'the domain is pure and synchronous: it knows nothing but itself',
    example: 'packages/core/src/domain/payment.ts -> packages/core/src/ports/store.ts',
  },
  {
    never: /^packages\/core\/src\/ports\/.* -> packages\/core\/src\/(?!domain\/|ports\/)/,
    because: 'a port speaks of the domain; who implements it need not know who calls it',
    example: 'packages/core/src/ports/store.ts -> packages/core/src/call/idempotency.ts',
  },
  {
    never:
      /^packages\/core\/src\/(schemas|storage)\/.* -> packages\/core\/src\/(?!domain\/|ports\/|schemas\/|storage\/)/,
    because: 'shapes on the wire and rows in a store know no request',
    example: 'packages/core/src/schemas/views.ts -> packages/core/src/call/perform.ts',
  },
  {
    never:
      /^packages\/core\/src\/call\/.* -> packages\/core\/src\/(?!call\/|schemas\/|storage\/|ports\/|domain\/)/,
    because: 'the frame around a use case does not know which one it holds',
    example: 'packages/core/src/call/perform.ts -> packages/core/src/work/lease.ts',
  },
  {
    never: /^packages\/core\/src\/work\/.* -> packages\/core\/src\/(operations\/|chairside\.ts)/,
    because: 'operations use what lies below them, never the other way round',
    example: 'packages/core/src/work/lease.ts -> packages/core/src/operations/registerTerminal.ts',
  },
  {
    never: /^packages\/core\/src\/work\/[^/]+\.ts -> packages\/core\/src\/work\/[^/]+\//,
    because: 'files beside the rooms of work serve every room, and know no room',
    example: 'packages/core/src/work/lease.ts -> packages/core/src/work/opening/opening.ts',
  },
  {
    never:
      /^packages\/core\/src\/operations\/(?!(.*\/)?(index|names)\.ts).* -> packages\/core\/src\/operations\//,
    because: 'an operation reads from top to bottom in one file; what two share lies below both',
    example: 'packages/core/src/operations/a.ts -> packages/core/src/operations/b.ts',
  },
  {
    never:
      /^packages\/core\/src\/(?!(index|names)\.ts).* -> packages\/core\/src\/(chairside|index)\.ts$/,
    because: 'the operations, bound, are the top of the core',
    example: 'packages/core/src/operations/a.ts -> packages/core/src/chairside.ts',
  },
  {
    never: /^(?!packages\/core\/(src\/domain\/result|test\/result\.test)\.ts ).* -> neverthrow$/,
    because: 'neverthrow comes in at one place, so that it can be replaced there',
    example: 'packages/core/src/call/idempotency.ts -> neverthrow',
  },
  {
    never:
      /^packages\/core\/src\/.* -> (?!packages\/core\/src\/|neverthrow$|valibot$|@noble\/hashes\/)/,
    because: 'the core runs anywhere: no framework, no I/O, no Node built-in',
    example: 'packages/core/src/ports/clock.ts -> node:timers',
  },
  {
    never:
      /^packages\/(?!proof\/(spec|bench|cluster|trials)\/)(proof\/)?[^/]+\/src\/.* -> @chairside\/(?!core(\/|$))/,
    because: 'adapters know the core alone: each can be left out or replaced',
    example: 'packages/sqlite/src/store.ts -> @chairside/fake-processor',
  },
  {
    never:
      /^packages\/(?!proof\/(spec|bench|testkit|trials)\/)(proof\/)?[^/]+\/src\/.* -> (vitest|fast-check|@chairside\/testkit|packages\/(proof\/)?[^/]+\/test\/)/,
    because: 'what is shipped needs no test code',
    example: 'packages/h3/src/app.ts -> packages/h3/test/helpers.ts',
  },
  {
    never:
      /^packages\/proof\/trials\/src\/.* -> (vitest$|fast-check$|@chairside\/(?!core$|testkit$))/,
    because:
      'trials run over any adapter, in any process: they know the ports and the store in memory',
    example: 'packages/proof/trials/src/simulate.ts -> @chairside/testkit/contracts',
  },
  {
    // The demonstration of many nodes brings its own server, so that it runs with one command.
    never: new RegExp(
      `^(?!packages/proof/|examples/many-nodes/src/main.ts -> @chairside/embedded-postgres$).*/src/.* -> (${proofs})(/|$)`,
    ),
    because: 'the product works without its proofs; tests alone import them',
    example: 'examples/local-server/src/main.ts -> @chairside/testkit/contracts',
  },
  {
    never: /^packages\/proof\/stripe-stand-in\/.* -> (@chairside\/stripe(\/|$)|packages\/stripe\/)/,
    because: 'an oracle that shares a table with the adapter shares its mistakes',
    example: 'packages/proof/stripe-stand-in/src/account.ts -> @chairside/stripe',
  },
  {
    never: /^packages\/proof\/judge\/.* -> @chairside\//,
    because: 'a judge of histories knows the history alone',
    example: 'packages/proof/judge/src/model.ts -> @chairside/core',
  },
  {
    never: /^((packages(\/proof)?|examples)\/[^/]+\/).* -> (?!\1)(packages|examples|scripts)\//,
    because: 'one package knows another by its name, and only what it exports',
    example: 'packages/h3/test/app.test.ts -> packages/core/src/domain/money.ts',
  },
];

const allowed: readonly string[] = [
  'packages/core/src/index.ts -> packages/core/src/chairside.ts',
  'packages/core/src/chairside.ts -> packages/core/src/operations/index.ts',
  'packages/core/src/operations/index.ts -> packages/core/src/operations/a.ts',
  'packages/core/src/operations/a.ts -> packages/core/src/call/idempotency.ts',
  'packages/core/src/operations/a.ts -> @noble/hashes/sha2.js',
  'packages/core/src/domain/result.ts -> neverthrow',
  'packages/core/test/result.test.ts -> neverthrow',
  'packages/core/test/money.test.ts -> packages/core/src/domain/money.ts',
  'packages/core/test/money.test.ts -> vitest',
  'packages/sqlite/src/store.ts -> @chairside/core',
  'packages/sqlite/src/store.ts -> node:path',
  'packages/proof/testkit/src/store.ts -> vitest',
  'packages/proof/trials/src/simulate.ts -> @chairside/testkit',
  'packages/proof/testkit/test/a.test.ts -> packages/proof/testkit/src/store.ts',
  'packages/stripe/test/contract.test.ts -> @chairside/stripe-stand-in',
  'packages/proof/stripe-stand-in/test/a.test.ts -> @chairside/stripe-stand-in',
  'examples/many-nodes/src/main.ts -> @chairside/embedded-postgres',
  'examples/local-server/src/main.ts -> @chairside/h3',
];

function edges(file: string, source: string): string[] {
  return ts.preProcessFile(source, true, true).importedFiles.map(({ fileName }) => {
    return `${file} -> ${fileName.startsWith('.') ? join(dirname(file), fileName) : fileName}`;
  });
}

/** The edge between two rooms of `work`, for an import from one into the other. */
function betweenRooms(edge: string): string[] {
  const [, from, to] =
    /^packages\/core\/src\/work\/([^/]+)\/.* -> packages\/core\/src\/work\/([^/]+)\//.exec(edge) ??
    [];
  return from === undefined || to === undefined || from === to ? [] : [`${from} -> ${to}`];
}

const broken = (edge: string) => rules.filter((rule) => rule.never.test(edge));

/** Imports must be declared, although packages here share a root with all dependencies. */
function isDeclared(edge: string): boolean {
  const [, folder, name] =
    /^((?:packages(?:\/proof)?|examples)\/[^/]+)\/src\/.* -> (?!node:|packages\/|examples\/)((?:@[^/]+\/)?[^/]+)/.exec(
      edge,
    ) ?? [];
  if (folder === undefined || name === undefined) return true;
  const own = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
  return own.name === name || name in { ...own.dependencies, ...own.peerDependencies };
}

function prove(): void {
  const written = `
    import a from './a.ts'; import type { B } from '../b.ts'; export * from 'c';
    type D = import('node:d').D; const e = await import('@scope/e/sub');
  `;
  const read = edges('x/y/z.ts', written).join('\n');
  const expected = ['x/y/a.ts', 'x/b.ts', 'c', 'node:d', '@scope/e/sub'];
  if (read !== expected.map((to) => `x/y/z.ts -> ${to}`).join('\n')) {
    throw new Error(`imports are not read as they should be:\n${read}`);
  }
  for (const { never, example } of rules) {
    if (!never.test(example)) throw new Error(`a rule misses its own example: ${example}`);
  }
  const wrong = allowed.find((edge) => broken(edge).length > 0);
  if (wrong !== undefined) throw new Error(`a rule forbids what is allowed: ${wrong}`);
  const circle = circlesOf(['a -> b', 'b -> c', 'c -> b', 'd -> a']);
  if (JSON.stringify(circle) !== '[["b","c"]]') throw new Error(`a circle is missed: ${circle}`);
  const work = 'packages/core/src/work';
  const rooms = [
    `${work}/a/x.ts -> ${work}/b/y.ts`,
    `${work}/a/x.ts -> ${work}/a/y.ts`,
    `${work}/a/x.ts -> ${work}/lease.ts`,
  ].flatMap(betweenRooms);
  if (rooms.join() !== 'a -> b') throw new Error(`rooms are misread: ${rooms}`);
  const twins = twinNames([
    ['a.ts', 'function* one() {}\nconst two = 1;'],
    ['b.ts', 'export type one = string;\nfunction steps() {}'],
  ]);
  if (twins.join() !== 'one: a.ts, b.ts') throw new Error(`a name is misread: ${twins}`);
  if (isDeclared('packages/core/src/a.ts -> left-pad')) throw new Error('undeclared, yet passed');
}

prove();

const files = globSync('{packages,packages/proof,examples}/*/{src,test}/**/*.ts').sort();
const sources = files.map(
  (file) => [file.replaceAll('\\', '/'), readFileSync(file, 'utf8')] as const,
);
const all = sources.flatMap(([file, source]) => edges(file, source));
const core = sources.filter(([file]) => file.startsWith('packages/core/src/'));
const faults = [
  ...all.flatMap((edge) => broken(edge).map(({ because }) => `${edge}\n    ${because}`)),
  ...all
    .filter((edge) => !isDeclared(edge))
    .map((edge) => `${edge}\n    not in the package's dependencies or peerDependencies`),
  ...circlesOf(all).map((files) => `${files.join('\n')}\n    import one another, types included`),
  ...circlesOf(all.flatMap(betweenRooms)).map(
    (rooms) => `${rooms.join(', ')}\n    rooms of core/src/work that import one another`,
  ),
  ...twinNames(core).map((twins) => `${twins}\n    declare one name: give each its own`),
];
for (const fault of faults) console.error(fault);
console.log(`${files.length} files, ${all.length} imports, ${faults.length} against the arrows`);
process.exitCode = faults.length > 0 ? 1 : 0;
