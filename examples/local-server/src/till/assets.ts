import { join } from 'node:path';
import { build, stop } from 'esbuild';
import { type Asset, assetOf } from './asset.ts';

const folder = join(import.meta.dirname, '../../till');
const types = { js: 'text/javascript', css: 'text/css' } as const;
const extensions = ['js', 'css'] as const;

export interface Assets {
  readonly script: Asset;
  readonly style: Asset;
}

/** Bundles the page with the client. It takes a tenth of a second, at the first request. */
export async function bundleAssets(): Promise<Assets> {
  const { outputFiles } = await build({
    entryPoints: [join(folder, 'main.ts'), join(folder, 'style.css')],
    outdir: folder,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    // From the sources where the server runs from them.
    conditions: process.execArgv
      .filter((flag) => flag.startsWith('--conditions='))
      .map((flag) => flag.slice(13)),
    write: false,
    // Built packages import their chunks bare, and are free of side effects.
    logOverride: { 'ignored-bare-import': 'silent' },
  });
  // Its process would stay as long as this one.
  await stop();
  const [script, style] = extensions.map((extension) => {
    const file = outputFiles.find(({ path }) => path.endsWith(`.${extension}`));
    return assetOf(`till.${extension}`, types[extension], file?.contents ?? new Uint8Array());
  });
  if (script === undefined || style === undefined) throw new Error('the page was not bundled');
  return { script, style };
}
