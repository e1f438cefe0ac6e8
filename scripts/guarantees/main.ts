// Checks the tests that `docs/reference/guarantees.md` names: breaks each mechanism in one place, and
// sees the named test fail. `pnpm prove:guarantees [--only refundUpkeep] [--every 6]`
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { breaks } from './breaks.ts';
import { broken } from './plant.ts';

const root = join(import.meta.dirname, '../..');
const { values } = parseArgs({ options: { only: { type: 'string' }, every: { type: 'string' } } });
const { only = '', every = '1' } = values;
const faults: string[] = [];

const [, promises = ''] = readFileSync(join(root, 'docs/reference/guarantees.md'), 'utf8').split(
  /^## (?:The promises|How they are tried)$/m,
);
for (const [, named = ''] of promises.matchAll(/\]\(\.\.\/\.\.\/([^)]+\.(?:spec|test)\.ts)\)/g)) {
  const isBroken = breaks.some(({ test }) => test === named);
  if (!isBroken) faults.push(`no break for ${named}`);
}

const chosen = breaks.filter(({ test, file }) => test.includes(only) || file.includes(only));
for (const [index, one] of breaks.entries()) {
  try {
    broken(one);
  } catch (error) {
    faults.push(String(error));
    continue;
  }
  if (!chosen.includes(one) || index % Number(every) !== 0) continue;
  const report = join(root, `coverage/guarantee-${process.pid}.json`);
  const config = 'scripts/guarantees/vitest.config.ts';
  const asked = ['run', one.test, '--config', config, '--bail', '1', '--reporter', 'json'];
  const hook = `--import ${join(import.meta.dirname, 'plant.ts')}`;
  spawnSync('vitest', [...asked, '--outputFile', report], {
    cwd: root,
    stdio: 'ignore',
    env: { ...process.env, GUARANTEE_BREAK: JSON.stringify(one), NODE_OPTIONS: hook },
  });
  // Without a report, no test has run.
  const failed = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')).numFailedTests : 0;
  rmSync(report, { force: true });
  console.log(`${failed > 0 ? 'noticed' : 'NOT NOTICED'}: ${one.file} by ${one.test}`);
  if (failed === 0) faults.push(`${one.test} does not fail: ${one.file}, ${one.find}`);
}
console.log(faults.join('\n') || 'Each of these tests notices its break.');
process.exitCode = faults.length === 0 ? 0 : 1;
