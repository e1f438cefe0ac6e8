// The OpenAPI document and the guide to problems must be up to date, and two linters must report nothing
// for the document. The linters come from npm, and their telemetry is off.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

const steps = [
  ['node', '--conditions=@chairside/source', 'scripts/openapi.ts', '--check'],
  ['node', '--conditions=@chairside/source', 'scripts/problems.ts', '--check'],
  ['redocly', 'lint', 'docs/openapi.json', '--extends=recommended-strict'],
  ['spectral', 'lint', 'docs/openapi.json', '--fail-severity=hint'],
] as const;
for (const [command, ...args] of steps) {
  const path = join(root, 'node_modules/.bin', command);
  const { status } = spawnSync(path, args, { cwd: root, env, stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
