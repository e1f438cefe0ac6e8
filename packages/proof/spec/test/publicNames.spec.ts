import { join } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../../../..');

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
