// The whole sweep: `npx --yes pnpm trial sweep`. `--pairs N` plays every Nth pair only, and `--chromium`
// sweeps a real page over the local server.
import { parseArgs } from 'node:util';
import { sweepBrowser } from '../browser/browser-sweep.ts';
import { findChromium, howToInstall } from '../browser/chromium.ts';
import { cardNames } from './cards.ts';
import { sweepStops } from './stops.ts';
import { type Row, sweep } from './sweep.ts';

const { values } = parseArgs({
  options: {
    pairs: { type: 'string', default: '1' },
    chromium: { type: 'boolean', default: false },
  },
});
const pairStep = Number(values.pairs);

/** Prints each row when it is ready; true if a promise was broken. */
async function print(title: string, rows: AsyncIterable<Row>): Promise<boolean> {
  console.log(`\n${title}`);
  console.log('runs   kills  lost   double  lost payments  untrue  other  what');
  const sums = { runs: 0, kills: 0, lost: 0, faults: 0 };
  for await (const { what, runs, kills, lost, faults } of rows) {
    const count = (kind: string) => faults.filter((fault) => fault.includes(`: ${kind}`)).length;
    const double = count('double charge');
    const lostPayments = count('lost: ');
    const untrue = count('untrue');
    const other = faults.length - double - lostPayments - untrue;
    const cells = [runs, kills, lost, double, lostPayments, untrue, other];
    const widths = [7, 7, 7, 8, 15, 8, 7];
    console.log(cells.map((cell, at) => String(cell).padEnd(widths[at] ?? 0)).join('') + what);
    for (const fault of faults.slice(0, 3)) console.log(`       ${fault}`);
    sums.runs += runs;
    sums.kills += kills;
    sums.lost += lost;
    sums.faults += faults.length;
  }
  console.log(
    `${sums.runs} runs, ${sums.kills} kills, ${sums.lost} lost answers, ${sums.faults} faults`,
  );
  return sums.faults > 0;
}

let isBroken = false;
if (values.chromium) {
  const executablePath = findChromium();
  if (executablePath === undefined) {
    console.error(howToInstall);
    process.exit(1);
  }
  const crashTimes = ['before', 'during', 'after'] as const;
  const extent = { killStep: 1, pairStep, crashes: cardNames, crashTimes };
  isBroken = await print('a page in Chromium', sweepBrowser(executablePath, extent));
} else {
  for (const processor of ['fake processor', "Stripe's stand-in"] as const) {
    const broken = await print(processor, sweep(processor, { pairStep }));
    isBroken ||= broken;
  }
  const stopped = await print("Stop, over Stripe's terminal", sweepStops(pairStep));
  isBroken ||= stopped;
}
process.exitCode = isBroken ? 1 : 0;
