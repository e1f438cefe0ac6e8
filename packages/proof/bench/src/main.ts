import { rmSync, writeFileSync } from 'node:fs';
import { readArgs } from './args.ts';
import { askChild } from './child.ts';
import type { Job, Outcome } from './job.ts';
import { describeMachine } from './machine.ts';
import { type Planned, preparations, round } from './plan.ts';
import { createProgress } from './report/progress.ts';
import { table, targetTable } from './report/table.ts';
import { checkTargets } from './report/targets.ts';
import { soak } from './soak.ts';

const args = readArgs();
const machine = describeMachine(args.folder);
console.log(machine);

if (args.isSoak) {
  await soak(args);
} else {
  const rounds = new Map<string, Outcome[]>();
  const planned = [
    ...preparations(args),
    ...Array.from({ length: args.rounds }, (_, index) => round(args, index + 1)).flat(),
  ];
  const progress = createProgress(planned.length);
  for (const { name, job } of planned) {
    progress(name);
    const outcome = await askChild<Job, Outcome>(new URL('worker.ts', import.meta.url), job);
    rounds.set(name, [...(rounds.get(name) ?? []), outcome]);
    report(name, outcome);
  }
  removeDatabases(planned);

  console.log(`\n${table(rounds)}\n\n${targetTable(rounds)}`);
  if (args.json !== undefined) {
    const results = Object.fromEntries(rounds);
    const json = { machine, results, targets: checkTargets(rounds) };
    writeFileSync(args.json, `${JSON.stringify(json, undefined, 2)}\n`);
  }
}

/** A wrong response voids the result, however fast it was. */
function report(name: string, { load, faults }: Outcome): void {
  if (load.wrong === 0 && faults.length === 0) return;
  process.exitCode = 1;
  console.error(`\n${name}: ${load.wrong} wrong answers\n${load.firstWrong ?? ''}`);
  for (const fault of faults) console.error(`  ${fault}`);
}

function removeDatabases(planned: readonly Planned[]): void {
  for (const { job } of planned) {
    if (job.database === undefined) continue;
    for (const suffix of ['', '-wal', '-shm']) rmSync(job.database + suffix, { force: true });
  }
}
