// The whole sweep: `npx --yes pnpm sweep`. `--pairs N` plays every Nth pair only.
import { parseArgs } from 'node:util';
import { sweep } from './sweep.ts';

const { values } = parseArgs({ options: { pairs: { type: 'string', default: '1' } } });
const pairStep = Number(values.pairs);
let isBroken = false;

for (const processor of ['fake processor', "Stripe's stand-in"] as const) {
  console.log(`\n${processor}`);
  console.log('runs   kills  lost   double  lost payments  untrue  other  what');
  const sums = { runs: 0, kills: 0, lost: 0 };
  for await (const { what, runs, kills, lost, faults } of sweep(processor, { pairStep })) {
    const count = (kind: string) => faults.filter((fault) => fault.includes(`: ${kind}`)).length;
    const double = count('double charge');
    const lostPayments = count('lost: ');
    const untrue = count('untrue');
    const other = faults.length - double - lostPayments - untrue;
    const cells = [runs, kills, lost, double, lostPayments, untrue, other];
    const widths = [7, 7, 7, 8, 15, 8, 7];
    console.log(cells.map((cell, at) => String(cell).padEnd(widths[at] ?? 0)).join('') + what);
    for (const fault of faults.slice(0, 3)) console.log(`       ${fault}`);
    isBroken ||= faults.length > 0;
    sums.runs += runs;
    sums.kills += kills;
    sums.lost += lost;
  }
  console.log(`${sums.runs} runs, ${sums.kills} kills, ${sums.lost} lost answers`);
}
process.exitCode = isBroken ? 1 : 0;
