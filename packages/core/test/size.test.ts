import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

/** Bytes of a bundle that imports a name from a file of the core, minified. */
async function sizeOf(name: string, file: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: {
      contents: `import { ${name} } from './${file}'; console.log(${name});`,
      resolveDir: join(import.meta.dirname, '../src'),
    },
    bundle: true,
    format: 'esm',
    minify: true,
    write: false,
  });
  return outputFiles.reduce((bytes, { contents }) => bytes + contents.length, 0);
}

it('formats money for less than 1 KB, by the subpath `money`', async () => {
  expect(await sizeOf('formatMoney', 'values/money.ts')).toBeLessThan(1024);
});
