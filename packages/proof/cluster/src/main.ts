// Breaks a cluster again and again, under load. Needs Linux, root, and the packages that it installs.
import { execFileSync } from 'node:child_process';
import { appendFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createRandom } from '@chairside/trials/random';
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
    seed: { type: 'string', default: '1' },
    fault: { type: 'string' },
    history: { type: 'string' },
    asynchronous: { type: 'boolean', default: false },
  },
});

try {
  execFileSync('dpkg', ['-s', ...packages], { stdio: 'ignore' });
} catch {
  console.log(`Installs ${packages.join(', ')}.`);
  execFileSync('apt-get', ['update'], { stdio: 'ignore' });
  execFileSync('apt-get', ['install', '-y', '--no-install-recommends', ...packages], {
    stdio: 'ignore',
  });
}

let isStopped = false;
process.once('SIGINT', () => {
  console.log('Ends after this round.');
  isStopped = true;
});

if (values.history !== undefined) writeFileSync(values.history, '');
const seed = Number(values.seed);
const random = createRandom(seed);
const trial = await openTrial(seed, !values.asynchronous);
const rounds: Round[] = [];
for (let index = 0; index < Number(values.rounds) && !isStopped; index += 1) {
  const name = trial.names.find((one) => one === values.fault);
  const drawn = name ?? trial.names[random.below(trial.names.length)] ?? 'killPrimary';
  const round = await trial.round(drawn);
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
  `${rounds.length} faults, ${rounds.filter(({ hasMoved }) => hasMoved).length} fail-overs, ` +
    `${trial.load.recorder.lines.length} events, ${trial.load.paid.size} payments, ${trial.load.deaths()} apps killed, ` +
    `${wrong.length} wrong; seconds without writes: p50 ${at(0.5)}, p99 ${at(0.99)}, max ${silent.at(-1)?.toFixed(1)}`,
);
await trial.close();
process.exit(wrong.length > 0 ? 1 : 0);
