// The OpenAPI documents, the guide to problems, the wrong adapters and the texts for language models must be up to date.
// Two linters must report nothing for the documents. The linters come from npm, and their telemetry is off.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

const documents = [
  'docs/openapi.json',
  'docs/openapi-charges.json',
  'docs/openapi-refunds.json',
  'docs/openapi-tips.json',
  'docs/openapi-webhooks.json',
];

const steps = [
  ['node', '--conditions=@chairside/source', 'scripts/openapi.ts', '--check'],
  ['node', '--conditions=@chairside/source', 'scripts/problems.ts', '--check'],
  ['node', '--conditions=@chairside/source', 'scripts/wrong-adapters.ts', '--check'],
  ['node', 'scripts/llms.ts', '--check'],
  ['redocly', 'lint', ...documents, '--extends=recommended-strict'],
  ['spectral', 'lint', ...documents, '--fail-severity=hint'],
] as const;
for (const [command, ...args] of steps) {
  const path = join(root, 'node_modules/.bin', command);
  const { status } = spawnSync(path, args, { cwd: root, env, stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
