import { rmSync } from 'node:fs';
import { readArgs } from './args.ts';
import { askChild } from './child.ts';
import type { Outcome } from './job.ts';
import { describeMachine } from './machine.ts';
import { plan } from './plan.ts';
import { goalTable, table } from './report.ts';
import { soak } from './soak.ts';
import { statements } from './statements.ts';

const args = readArgs();
console.log(describeMachine(args.folder));

if (args.command === 'statement') {
  await statements(args);
} else if (args.command === 'soak') {
  await soak(args);
} else {
  const rounds = new Map<string, Outcome[]>();
  const planned = plan(args);
  const startedAt = performance.now();
  for (const [done, { name, job }] of planned.entries()) {
    const minutesLeft = ((performance.now() - startedAt) / 60_000 / done) * (planned.length - done);
    const left = done === 0 ? '' : `, ${Math.ceil(minutesLeft)} min left`;
    console.error(`[${done + 1}/${planned.length}${left}] ${name}`);
    const outcome = await askChild<Outcome>(new URL('worker.ts', import.meta.url), job);
    rounds.set(name, [...(rounds.get(name) ?? []), outcome]);
    report(name, outcome);
  }
  for (const { job } of planned) {
    if (job.database === undefined) continue;
    for (const suffix of ['', '-wal', '-shm']) rmSync(job.database + suffix, { force: true });
  }
  console.log(`\n${table(rounds)}\n\n${goalTable(rounds)}`);
}

/** A wrong response voids the result, however fast it was. */
function report(name: string, { load, faults }: Outcome): void {
  if (load.wrong === 0 && faults.length === 0) return;
  process.exitCode = 1;
  console.error(`\n${name}: ${load.wrong} wrong answers\n${load.firstWrong ?? ''}`);
  for (const fault of faults) console.error(`  ${fault}`);
}
