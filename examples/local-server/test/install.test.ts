import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../../..');

it('runs on few packages, of the 900 of the workspace (D156)', async () => {
  const server = ['--filter', 'chairside', '--filter-prod', '@chairside/example-local-server...'];
  const list = ['list', '--prod', '--depth', 'Infinity', '--parseable', ...server];
  const { stdout } = await promisify(execFile)('npx', ['--yes', 'pnpm', ...list], { cwd: root });
  const folders = stdout.split('\n').map((path) => /\.pnpm\/([^/]+)/.exec(path)?.[1]);
  const packages = new Set(folders.filter((name) => name !== undefined));
  // The list includes builds for other platforms, which `pnpm start` does not download.
  expect(packages.size).toBeGreaterThan(10);
  expect(packages.size).toBeLessThan(90);
});

it('starts from a clone made on Windows, which is used under WSL or in a container', async () => {
  const asked = ['check-attr', 'eol', '--', 'scripts/need', 'packages/cli/package.json'];
  const { stdout } = await promisify(execFile)('git', asked, { cwd: root });
  expect(stdout).toBe('scripts/need: eol: lf\npackages/cli/package.json: eol: lf\n');
});
