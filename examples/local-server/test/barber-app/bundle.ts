import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';

export const web = join(import.meta.dirname, '../../../barber-app/web');

/** The app for a page. */
export async function bundleApp(react: string, plugins: Plugin[] = []): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(web, 'index.tsx')],
    bundle: true,
    format: 'iife',
    jsx: 'automatic',
    alias: { 'react-native': 'react-native-web' },
    nodePaths: [join(react, 'node_modules')],
    conditions: ['@chairside/source'],
    define: { 'process.env.NODE_ENV': '"production"' },
    write: false,
    plugins,
  });
  return outputFiles[0]?.text ?? '';
}
