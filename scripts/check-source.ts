// Checks that the linter lacks:
// - a dropped Result is an unhandled error, and steps (a generator) that are not run have no effect;
// - a cast is a claim that the compiler does not check, so it says why it holds:
//   `// cast: reason`, on its line or the line above.
import { join, relative } from 'node:path';
import ts from 'typescript';

const root = join(import.meta.dirname, '..');

// Compiled with the sources: exactly the lines marked `bad` must be found.
const proofPath = join(root, 'packages/core/proof.ts');
const proof = `
import { err, ok, okAsync, type Result } from 'neverthrow';
declare const save: (n: number) => Promise<Result<number, string>>;
declare const check: boolean;
async function* steps() {
  return yield* ok(1);
}
ok(1); // bad
void okAsync(1); // bad
await okAsync(1).map((n) => n + 1); // bad
save(1); // bad
await save(1); // bad
check && err('no'); // bad
await Promise.all([save(1), save(2)]); // bad
[1].forEach((n) => ok(n)); // bad
setTimeout(async () => save(1), 1); // bad
steps(); // bad
await steps(); // bad
export const unexplained = ok(1) as unknown; // bad
export const explained = ok(1) as unknown; // cast: to be proven
export const constant = [1] as const;
export const kept = await save(1);
export const { value } = await steps().next();
export async function* more() {
  yield* steps();
}
let later: Result<number, string> = ok(1);
later = await save(1);
await okAsync(1).match(String, String);
ok(1).match(console.log, console.error);
[1].map((n) => ok(n)).every((result) => result.isOk());
`;

function program(): ts.Program {
  const path = join(root, 'tsconfig.json');
  const { config } = ts.readConfigFile(path, ts.sys.readFile);
  const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile } = host;
  host.fileExists = (file) => file === proofPath || fileExists(file);
  host.readFile = (file) => (file === proofPath ? proof : readFile(file));
  host.getSourceFile = (file, language) => {
    const text = host.readFile(file);
    return text === undefined ? undefined : ts.createSourceFile(file, text, language, true);
  };
  return ts.createProgram([...fileNames, proofPath], options, host);
}

const compiled = program();
const checker = compiled.getTypeChecker();

function isResult(type: ts.Type): boolean {
  if (type.isUnion()) return type.types.some(isResult);
  const name = type.symbol?.name ?? '';
  if (name === 'AsyncGenerator') return true;
  if (['Ok', 'Err', 'ResultAsync'].includes(name)) {
    const from = type.symbol.declarations?.map((at) => at.getSourceFile().fileName) ?? [];
    return from.some((file) => file.includes('/neverthrow/'));
  }
  const holds = name === 'Promise' || checker.isArrayType(type) || checker.isTupleType(type);
  // cast: a promise, an array and a tuple are references, which is what holds type arguments
  return holds && checker.getTypeArguments(type as ts.TypeReference).some(isResult);
}

function returned(type: ts.Type | undefined): ts.Type[] {
  return type?.getCallSignatures().map((signature) => signature.getReturnType()) ?? [];
}

function isAssignment(node: ts.Node): boolean {
  if (!ts.isBinaryExpression(node)) return false;
  const { kind } = node.operatorToken;
  return kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;
}

/** Dropped by a statement, or by a callback whose caller ignores the result. */
function isDropped(node: ts.Node): boolean {
  if (ts.isExpressionStatement(node)) {
    const { expression } = node;
    if (isAssignment(expression)) return false;
    const inner = ts.isVoidExpression(expression) ? expression.expression : expression;
    return isResult(checker.getTypeAtLocation(inner));
  }
  if (!ts.isArrowFunction(node) && !ts.isFunctionExpression(node)) return false;
  const wanted = returned(checker.getContextualType(node));
  const isIgnored = wanted.length > 0 && wanted.every(({ flags }) => flags & ts.TypeFlags.Void);
  return isIgnored && returned(checker.getTypeAtLocation(node)).some(isResult);
}

function isUnexplainedCast(node: ts.Node, file: ts.SourceFile): boolean {
  if (!ts.isAsExpression(node) || ts.isConstTypeReference(node.type)) return false;
  const line = file.getLineAndCharacterOfPosition(node.type.getStart()).line;
  const lines = file.text.split('\n').slice(Math.max(0, line - 1), line + 1);
  return !lines.some((text) => /\/\/ cast: \S/.test(text));
}

interface Fault {
  readonly line: number;
  readonly text: string;
}

function faults(file: ts.SourceFile): Fault[] {
  const found: Fault[] = [];
  const report = (node: ts.Node, text: string) =>
    found.push({ line: file.getLineAndCharacterOfPosition(node.getStart()).line + 1, text });
  const visit = (node: ts.Node): void => {
    if (isDropped(node)) report(node, 'a Result is dropped here');
    if (isUnexplainedCast(node, file)) report(node, 'a cast needs `// cast: reason`');
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function prove(file: ts.SourceFile): void {
  const found = new Set(faults(file).map(({ line }) => line));
  for (const [index, text] of proof.split('\n').entries()) {
    if (text.endsWith('// bad') !== found.has(index + 1)) {
      throw new Error(`this check does not see rightly: ${text}`);
    }
  }
}

let count = 0;
const print = (path: string, { line, text }: Fault) => {
  console.error(`${relative(root, path)}:${line}: ${text}`);
  count++;
};

for (const file of compiled.getSourceFiles()) {
  if (file.isDeclarationFile || compiled.isSourceFileFromExternalLibrary(file)) continue;
  if (file.fileName === proofPath) {
    prove(file);
    continue;
  }
  for (const fault of faults(file)) print(file.fileName, fault);
}

console.log(`${count} dropped results and unexplained casts`);
process.exitCode = count > 0 ? 1 : 0;
