import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { problemTypes } from '@chairside/core';
import { operations, reviewReasons } from '@chairside/core/ports';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { specs } from '../src/specs.ts';
import { workedExample } from '../src/worked-example.ts';

const root = join(import.meta.dirname, '../../../..');
const pages = globSync('docs/**/*.md', { cwd: root }).sort();
const rootPages = globSync('*.md', { cwd: root }).sort();
const packagePages = globSync('packages/{*,proof/*}/README.md', { cwd: root }).sort();

const read = (page: string) => readFileSync(join(root, page), 'utf8');

/** The `ts` blocks of a page are one program, in their order. */
function codeOf(page: string): string | undefined {
  const blocks = [...read(page).matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code);
  return blocks.length === 0 ? undefined : `${blocks.join('\n')}\nexport {};\n`;
}

/** Lines of code in the first block of a page, without blank ones. */
function linesShown(page: string): number {
  const [, code = ''] = /^```(?:ts|sh)\n(.*?)^```$/ms.exec(read(page)) ?? [];
  return code.split('\n').filter((line) => line.trim() !== '').length;
}

const operationFiles = globSync('packages/core/src/*/*.ts', { cwd: root })
  .filter((file) => examplesIn(file).length > 0)
  .sort();

/** The names that the examples of operations may use. */
const exampleNames = `
import type { AuthContext, Chairside, ContactlessPayment } from '@chairside/core';
declare const chairside: Chairside;
declare const barber: AuthContext;
declare const customer: AuthContext;
declare const manager: AuthContext;
declare const opened: ContactlessPayment;
declare const request: Request;
`;

interface Example {
  readonly name: string;
  readonly code: string;
}

/** The code of every `@example` above a member of an exported object. */
function examplesIn(file: string): readonly Example[] {
  const members = read(file).matchAll(/^( {2,4})\/\*\*((?:(?!\*\/).)*)\*\/\n\1(\w+)[:,]/gms);
  return [...members].flatMap(([, , comment = '', name = '']) => {
    const [, code] = /@example\n(.*?)(?=\n\s*\* @|$)/s.exec(comment) ?? [];
    return code === undefined ? [] : [{ name, code: code.replaceAll(/^ +\* ?/gm, '') }];
  });
}

/** The examples of one file are one program; each is a function. */
function examplesOf(file: string): string {
  const bodies = examplesIn(file).map(
    ({ name, code }) => `export async function ${name}() {\n${code}\n}`,
  );
  return `${exampleNames}${bodies.join('\n')}`;
}

/** The folder of a page's code: beside the specs, which may use every package. */
const placeOf = (page: string) => join(import.meta.dirname, `${page.replaceAll('/', '-')}.ts`);

/** The compiler's settings of the repository. */
const config = () => ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile).config;

/** Compiles the code of all pages at once; returns the compiler's errors of each. */
function compile(): ReadonlyMap<string, readonly string[]> {
  const { options } = ts.parseJsonConfigFileContent(config(), ts.sys, root);
  const codes = new Map<string, string>();
  for (const page of [...pages, ...packagePages]) {
    const code = codeOf(page);
    if (code !== undefined) codes.set(placeOf(page), code);
  }
  for (const file of operationFiles) codes.set(placeOf(file), examplesOf(file));
  const settings = { ...options, noUnusedLocals: false, noUnusedParameters: false };
  const host = ts.createCompilerHost(settings);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (file) => codes.has(file) || fileExists(file);
  host.readFile = (file) => codes.get(file) ?? readFile(file);
  host.getSourceFile = (file, language, ...more) => {
    const code = codes.get(file);
    return code === undefined
      ? getSourceFile(file, language, ...more)
      : ts.createSourceFile(file, code, language);
  };
  const folders = globSync('{packages,packages/proof,examples}/*', { cwd: root }).map((at) =>
    join(root, at, 'a.ts'),
  );
  host.resolveModuleNameLiterals = (names, from, redirected, resolved, file) =>
    names.map((name) => {
      const mode = ts.getModeForUsageLocation(file, name, resolved);
      const resolve = (place: string) =>
        ts.resolveModuleName(name.text, place, resolved, host, undefined, redirected, mode);
      const own = resolve(from);
      if (own.resolvedModule !== undefined || !codes.has(from)) return own;
      // A page about a package that the specs do not use compiles in that package.
      return folders.map(resolve).find(({ resolvedModule }) => resolvedModule) ?? own;
    });
  const program = ts.createProgram([...codes.keys(), join(root, 'globals.d.ts')], settings, host);
  return new Map(
    [...codes].map(([place]) => {
      const file = program.getSourceFile(place);
      const found = [
        ...program.getSyntacticDiagnostics(file),
        ...program.getSemanticDiagnostics(file),
      ];
      return [
        place,
        found.map(({ messageText, start = 0 }) => {
          const line = file?.getLineAndCharacterOfPosition(start).line ?? 0;
          const code = file?.text.split('\n')[line] ?? '';
          return `${ts.flattenDiagnosticMessageText(messageText, ' ')}: ${code.trim()}`;
        }),
      ];
    }),
  );
}

/** Anchors as GitHub makes them from headings. */
function anchorsOf(markdown: string): readonly string[] {
  return [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function brokenLinks(page: string): readonly string[] {
  const links = [...read(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  return links.filter((link) => {
    if (/^https?:/.test(link)) return false;
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? join(root, page) : join(root, dirname(page), path);
    if (!existsSync(target)) return true;
    return anchor !== undefined && !anchorsOf(readFileSync(target, 'utf8')).includes(anchor);
  });
}

interface Sample {
  readonly file: string;
  readonly code: string;
}

/** The code under a paragraph that ends with a link to its file in the template. */
function samplesOf(page: string): readonly Sample[] {
  const found = read(page).matchAll(
    /\]\([./]*(packages\/create-chairside\/template\/\S+?)\)(?:[^\n]*\n){1,2}\n```typescript\n(.*?)^```$/gms,
  );
  return [...found].map(([, file = '', code = '']) => ({ file, code }));
}

/** Without the indentation, which depends on the place. */
const flat = (code: string) => code.replaceAll(/^ +/gm, '').trim();

/** Lines that would fetch a package of ours from a registry, where anybody could have taken its name. */
function installsByName(text: string): readonly string[] {
  const patterns = [
    /\b(?:npm|pnpm|yarn|bun) (?:install|add|i|create|dlx|init)\b.*(?:[ {]@chairside\/|\bchairside\b(?![-/.]))/,
    /\b(?:npx|bunx)(?: --yes| -y)? (?:create-)?chairside/,
  ];
  return text.split('\n').filter((line) => patterns.some((pattern) => pattern.test(line)));
}

describe('the documentation', () => {
  it('shows the code of the template where it names its file', () => {
    const samples = pages.flatMap(samplesOf);
    expect(samples.length).toBeGreaterThanOrEqual(6);
    const others = samples.filter(({ file, code }) => !flat(read(file)).includes(flat(code)));
    expect(others).toEqual([]);
  });

  it('recognises a line that installs by name', () => {
    const lines = [
      'npm create chairside my-shop',
      'npm install --save-dev @chairside/cli',
      'bun add express@5 @chairside/{core,sqlite}',
      'npx chairside doctor',
      'npm install h3@2 ../chairside/tarballs/chairside-{core,h3}-0.1.0.tgz',
      'npx --no chairside doctor',
      'pnpm add link:../chairside/packages/core',
    ];
    expect(installsByName(lines.join('\n'))).toEqual(lines.slice(0, 4));
  });

  it('tells nobody to install by name before a release', () => {
    const told = globSync('packages/{cli,create-chairside}/{src,template}/**/*.{ts,md,yaml}', {
      cwd: root,
    });
    const texts = [...rootPages, ...pages, ...packagePages, ...told].filter(
      (path) => path !== 'CHANGELOG.md',
    );
    const found = texts.flatMap((path) =>
      installsByName(read(path)).map((line) => `${path}: ${line}`),
    );
    expect(found).toEqual([]);
  });

  it('has an example for every operation', () => {
    const { records, events, ...others } = operations;
    const names = [others, records, events].flatMap((group) => Object.keys(group));
    const shown = operationFiles.flatMap(examplesIn).map(({ name }) => name);
    expect(shown.sort()).toEqual(names.sort());
  });

  it('shows the text and the example of an operation in an editor', { timeout: 120_000 }, () => {
    const page = placeOf('hover');
    const calls = ['getTerminal', 'records.putBarber', 'events.deliver', 'reconcile'];
    const head =
      "import type { Chairside } from '@chairside/core';\ndeclare const chairside: Chairside;\n";
    const code = `${head}${calls.map((call) => `chairside.${call};`).join('\n')}`;
    const { options } = ts.parseJsonConfigFileContent(config(), ts.sys, root);
    const service = ts.createLanguageService({
      fileExists: ts.sys.fileExists,
      readFile: ts.sys.readFile,
      getCompilationSettings: () => options,
      getScriptFileNames: () => [page],
      getScriptVersion: () => '1',
      getScriptSnapshot: (file) => {
        const text = file === page ? code : ts.sys.readFile(file);
        return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
      },
      getCurrentDirectory: () => root,
      getDefaultLibFileName: ts.getDefaultLibFilePath,
    });
    for (const call of calls) {
      const shown = service.getQuickInfoAtPosition(
        page,
        code.indexOf(`${call};`) + call.length - 1,
      );
      expect(ts.displayPartsToString(shown?.documentation)).toMatch(/^[A-Z].*\.$/s);
      expect(shown?.tags?.map(({ name }) => name)).toEqual(['example']);
    }
  });

  it('shows at most fifteen lines in the readme of each package', () => {
    const published = packagePages.filter((page) => {
      const manifest = JSON.parse(read(join(dirname(page), 'package.json')));
      return manifest.private !== true;
    });
    const lines = published.map((page) => [page, linesShown(page)] as const);
    expect(lines.filter(([, count]) => count === 0 || count > 15)).toEqual([]);
  });

  it('has code that compiles', { timeout: 120_000 }, () => {
    const faults = [...compile()].flatMap(([place, found]) =>
      found.map((fault) => `${relative(import.meta.dirname, place)}: ${fault}`),
    );
    expect(faults).toEqual([]);
  });

  it('explains every type of problem, and every reason that the core gives', () => {
    // Reasons why a database does not open are no reasons of a problem.
    const files = globSync('packages/core/src/**/*.ts', {
      cwd: root,
      exclude: ['**/storage/**', '**/*.test.ts'],
    });
    const reasons = files.flatMap((file) =>
      [...read(file).matchAll(/\breason: '(\w+)'/g)].map(([, reason = '']) => reason),
    );
    const problems = read('docs/guide/problems.md');
    const names = [...Object.keys(problemTypes), ...reasons];
    expect(names.filter((name) => !problems.includes(`\`${name}\``))).toEqual([]);
  });

  it('explains every reason for which a person must look at a payment', () => {
    const concepts = read('docs/guide/concepts.md');
    expect(reviewReasons.filter((reason) => !concepts.includes(`| \`${reason}\``))).toEqual([]);
  });

  it('lists every decision once, under the number of its heading', () => {
    const index = read('docs/decisions/README.md');
    const listed = [...index.matchAll(/^- \[(D\d+ .*)\]\(([^)#]+).*\)$/gm)];
    const headings = pages
      .filter((page) => /decisions\/\d/.test(page))
      .flatMap((page) =>
        [...read(page).matchAll(/^##? (D\d+ .*)$/gm)].map(([, heading]) => [heading, page]),
      );
    expect(listed.map(([, heading, path]) => [heading, `docs/decisions/${path}`])).toEqual(
      expect.arrayContaining(headings),
    );
    expect(listed).toHaveLength(headings.length);
  });

  it.each([...rootPages, ...pages, ...packagePages])('%s has working links', (page) => {
    expect(brokenLinks(page)).toEqual([]);
  });
});

/** The public names of the core's root, with what an editor shows of each. */
function publicNames(): ReadonlyMap<string, string> {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  const entry = join(root, 'packages/core/src/index.ts');
  const program = ts.createProgram([entry], { ...options, types: [] });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(entry);
  const module = source && checker.getSymbolAtLocation(source);
  const exported = module === undefined ? [] : checker.getExportsOfModule(module);
  return new Map(
    exported.map((name) => {
      const isAlias = (name.flags & ts.SymbolFlags.Alias) !== 0;
      const symbol = isAlias ? checker.getAliasedSymbol(name) : name;
      return [name.name, ts.displayPartsToString(symbol.getDocumentationComment(checker))];
    }),
  );
}

it('the root of the core has at most 200 names, and an editor explains each', () => {
  const names = publicNames();
  expect(names.size).toBeGreaterThan(100);
  expect(names.size).toBeLessThanOrEqual(200);
  expect([...names].filter(([, text]) => text === '').map(([name]) => name)).toEqual([]);
});

const offered = specs.map((load) => /test\/([^'"]+)/.exec(`${load}`)?.[1] ?? '');

it('offers every file of specs that runs over other adapters', () => {
  const folder = import.meta.dirname;
  const files = globSync('*.spec.ts', { cwd: folder }).filter((file) =>
    /^describe(Everywhere|WithEveryProcessor)\(/m.test(readFileSync(`${folder}/${file}`, 'utf8')),
  );
  expect(offered.toSorted()).toEqual(files.sort());
});

it('offers no file that reads this repository, which an installed package lacks', () => {
  const reading = offered.filter((file) =>
    /\b(?:import\.meta|node:fs)\b/.test(readFileSync(`${import.meta.dirname}/${file}`, 'utf8')),
  );
  expect(reading).toEqual([]);
});

it('plays the worked example that the guide to refunds shows', () => {
  const guide = readFileSync(`${import.meta.dirname}/../../../../docs/guide/refunds.md`, 'utf8');
  const [, example = ''] = guide.split('## A worked example');
  const rows = [...example.matchAll(/^\| \d+ +\|(.*)\|$/gm)].map(([, cells = '']) =>
    cells.split('|').map((cell) => cell.trim()),
  );
  expect(rows).toEqual(workedExample);
});
