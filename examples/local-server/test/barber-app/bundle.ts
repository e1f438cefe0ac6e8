import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';

const web = join(import.meta.dirname, '../../../barber-app/web');

/** The app for a page. React is installed in a temporary folder, so that the workspace stays small. */
export async function bundleApp(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'chairside-web-'));
  cpSync(join(web, 'package.json'), join(folder, 'package.json'));
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder });
  const { outputFiles } = await build({
    entryPoints: [join(web, 'index.tsx')],
    bundle: true,
    format: 'iife',
    jsx: 'automatic',
    alias: { 'react-native': 'react-native-web' },
    nodePaths: [join(folder, 'node_modules')],
    conditions: ['@chairside/source'],
    define: { 'process.env.NODE_ENV': '"production"' },
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}
