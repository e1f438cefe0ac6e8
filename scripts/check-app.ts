// Type-checks and bundles examples/barber-app: `npx --yes pnpm trial app`. Its dependencies are
// large, so they are installed in a temporary folder.
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'chairside-app-'));

function run(cwd: string, command: string, ...args: readonly string[]): void {
  console.log(`$ ${command} ${args.join(' ')}`);
  const env = { ...process.env, EXPO_NO_TELEMETRY: '1', EXPO_OFFLINE: '1', CI: '1' };
  const { status } = spawnSync(command, args, { cwd, env, stdio: 'inherit' });
  if (status !== 0) throw new Error(`${command} ended with ${status}`);
}

try {
  run(root, 'npx', '--yes', 'pnpm', 'build');
  for (const name of ['core', 'client']) {
    run(join(root, 'packages', name), 'npx', '--yes', 'pnpm', 'pack', '--pack-destination', folder);
  }
  const [core, client] = ['core', 'client'].map((name) => {
    const [tarball] = globSync(`chairside-${name}-*.tgz`, { cwd: folder });
    return `file:./${tarball}`;
  });
  cpSync(join(root, 'examples/barber-app'), folder, { recursive: true });
  const path = join(folder, 'package.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8'));
  const { dependencies } = manifest;
  manifest.dependencies = { ...dependencies, '@chairside/core': core, '@chairside/client': client };
  writeFileSync(path, JSON.stringify(manifest));
  run(folder, 'npm', 'install', '--no-audit', '--no-fund', '--loglevel=error');
  run(folder, 'npx', 'tsc', '-p', '.');
  run(folder, process.execPath, 'check/async-storage.ts');
  run(folder, 'npx', 'expo', 'export', '--platform', 'ios', '--platform', 'android');
  console.log('the app type-checks, and is bundled for iOS and Android');
} finally {
  rmSync(folder, { recursive: true });
}
