// Breaks a cluster again and again, under load. Needs Linux, root, and the packages below.
import { spawnSync } from 'node:child_process';
import { appendFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createRandom } from '@chairside/trials/random';
import { failOvers, faultNames } from './faults.ts';
import { openTrial, type Round } from './trial.ts';

const packages = [
  'patroni',
  'etcd-server',
  'etcd-client',
  'haproxy',
  'pgbouncer',
  'postgresql-15',
  'iptables',
];
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    /** Only faults that move the primary, until it has moved so many times. */
    'fail-overs': { type: 'string' },
    /** A phone rests for up to this time after each payment. */
    'rest-ms': { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
    fault: { type: 'string' },
    history: { type: 'string' },
    asynchronous: { type: 'boolean', default: false },
  },
});

const missing = packages.filter((name) => spawnSync('dpkg', ['-s', name]).status !== 0);
if (missing.length > 0) {
  console.error(`Install first, on a machine of its own: apt-get install ${missing.join(' ')}`);
  process.exit(1);
}

let isStopped = false;
process.once('SIGINT', () => {
  console.log('Ends after this round.');
  isStopped = true;
});

if (values.history !== undefined) writeFileSync(values.history, '');
const seed = Number(values.seed);
const random = createRandom(seed);
const trial = await openTrial({
  seed,
  isSynchronous: !values.asynchronous,
  restMs: Number(values['rest-ms']),
});
const wanted = values['fail-overs'] === undefined ? undefined : Number(values['fail-overs']);
const names = wanted === undefined ? faultNames : failOvers;
const fixed = faultNames.find((one) => one === values.fault);
const rounds: Round[] = [];
const moves = () => rounds.filter(({ hasMoved }) => hasMoved).length;
const isDone = () =>
  wanted === undefined
    ? rounds.length >= Number(values.rounds)
    : moves() >= wanted || rounds.length >= 2 * wanted;
for (let index = 0; !isStopped && !isDone(); index += 1) {
  const round = await trial.round(fixed ?? names[random.below(names.length)] ?? 'killPrimary');
  rounds.push(round);
  const { fault, hasMoved, silentSeconds, payments, wrong } = round;
  console.log(
    `${index + 1}. ${fault}: ${payments} payments, ${silentSeconds.toFixed(1)} s without writes${hasMoved ? ', another primary' : ''}`,
  );
  for (const what of wrong) console.log(`   ${what}`);
  if (values.history !== undefined) appendFileSync(values.history, trial.history());
  if (wrong.length > 0) break;
}

const silent = rounds.map(({ silentSeconds }) => silentSeconds).sort((a, b) => a - b);
const at = (share: number) =>
  silent[Math.min(silent.length - 1, Math.floor(silent.length * share))]?.toFixed(1);
const wrong = rounds.flatMap((round) => round.wrong);
console.log(
  `${rounds.length} faults, ${moves()} fail-overs, ` +
    `${trial.load.recorder.lines.length} events, ${trial.load.paid.size} payments, ${trial.load.deaths()} apps killed, ` +
    `${wrong.length} wrong; seconds without writes: p50 ${at(0.5)}, p99 ${at(0.99)}, max ${silent.at(-1)?.toFixed(1)}`,
);
await trial.close();
process.exit(wrong.length > 0 ? 1 : 0);
