import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const example = join(import.meta.dirname, '..');

it('has its code from the files that the tests run', () => {
  const page = readFileSync(join(example, '../../docs/guide/your-own-tables.md'), 'utf8');
  const shown = [...page.matchAll(/```typescript\n(.*?)```/gs)].map(([, code = '']) => code);
  /** Broken lines count as one: the formatter breaks them by their indent. */
  const withoutIndent = (code: string) => code.replaceAll(/^ +/gm, '').replaceAll(/\n\./g, '.');
  const files = globSync('src/*.ts', { cwd: example }).map((file) =>
    withoutIndent(readFileSync(join(example, file), 'utf8')),
  );
  const missing = shown.filter((code) => !files.some((file) => file.includes(withoutIndent(code))));
  expect(shown).toHaveLength(4);
  expect(missing).toEqual([]);
});
