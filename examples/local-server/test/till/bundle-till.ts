import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';

/** The script of the page, with something planted in it. */
export async function bundleTill(plugins: Plugin[]): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, '../../till/main.ts')],
    bundle: true,
    format: 'esm',
    conditions: ['@chairside/source'],
    write: false,
    plugins,
  });
  return outputFiles[0]?.text ?? '';
}
