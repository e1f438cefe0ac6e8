// Plants each bug that a test file finds, and sees that file fail: `pnpm trial bugs [--only refund]`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { plantedBugs, simulatedBugs } from '../../packages/proof/trials/test/bugs/planted-bugs.ts';

const root = join(import.meta.dirname, '../..');
const { only = '' } = parseArgs({ options: { only: { type: 'string' } } }).values;

const left = plantedBugs.filter(
  ({ name, by }) =>
    !simulatedBugs.some((one) => one.name === name) && `${name} ${by}`.includes(only),
);

async function plantNext(lane: number): Promise<void> {
  const bug = left.shift();
  if (bug === undefined) return;
  const { name, by } = bug;
  const report = join(root, `coverage/bug-${process.pid}-${lane}.json`);
  const asked = ['run', by, '--config', 'vitest.bugs.config.ts', '--bail', '1'];
  const hook = `--conditions=@chairside/source --import ${join(import.meta.dirname, 'plant.ts')}`;
  const run = spawn('vitest', [...asked, '--reporter', 'json', '--outputFile', report], {
    cwd: root,
    stdio: 'ignore',
    env: { ...process.env, CHAIRSIDE_BUG: name, NODE_OPTIONS: hook },
  });
  await once(run, 'close');
  // Without a report, no test has run.
  const failed = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')).numFailedTests : 0;
  rmSync(report, { force: true });
  console.log(`${failed > 0 ? 'noticed' : 'NOT NOTICED'}: ${name} by ${by}`);
  if (failed === 0) process.exitCode = 1;
  await plantNext(lane);
}

// Each file keeps one core busy.
await Promise.all([0, 1].map(plantNext));
