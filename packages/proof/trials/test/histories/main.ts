import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { judge, parseHistory } from '@chairside/judge';
import { orUsage, wholeNumber } from '@chairside/spec/command-line';
import { crash } from '../crash/run.ts';
import { mapHarness } from '../ours/harness.ts';
import { historyOfCrash } from './of-crash.ts';
import { simulateHistory } from './of-simulation.ts';

const usage = `npx --yes pnpm trial histories [--seeds 1000] [--operations 100] [--cycles 20] [--seed 1] [--folder DIR]
  Simulates seeds and kills servers, and judges what clients saw, without a look into the database or
  the processor's books. With --folder, writes each history as a file for other checkers.`;

const { seeds, operations, cycles, seed, folder } = orUsage(usage, () => {
  const { values } = parseArgs({
    options: {
      seeds: { type: 'string', default: '1000' },
      operations: { type: 'string', default: '100' },
      cycles: { type: 'string', default: '20' },
      seed: { type: 'string', default: '1' },
      folder: { type: 'string' },
    },
  });
  return {
    seeds: wholeNumber(values.seeds),
    operations: wholeNumber(values.operations),
    cycles: wholeNumber(values.cycles),
    seed: wholeNumber(values.seed),
    folder: values.folder,
  };
});

let [histories, requests, contradictions] = [0, 0, 0];

function take(name: string, lines: readonly object[]): void {
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  if (folder !== undefined) writeFileSync(join(folder, `${name}.jsonl`), text);
  const history = parseHistory(text);
  histories += 1;
  requests += history.filter(({ f, type }) => f !== 'due' && type === 'invoke').length;
  for (const { appointment, what, detail } of judge(history)) {
    console.log(`${name}: ${appointment}: ${what}: ${detail}`);
    if (what !== 'undecided') contradictions += 1;
  }
}

if (folder !== undefined) mkdirSync(folder, { recursive: true });
const begun = performance.now();
for (let at = seed; at < seed + seeds; at += 1) {
  take(`simulation-${at}`, await simulateHistory(mapHarness, at, operations));
}
await crash({
  cycles,
  seed,
  servers: 2,
  onHistory: (shop, log) => take(`crash-${seed + shop}`, historyOfCrash(log)),
});
const seconds = ((performance.now() - begun) / 1000).toFixed(0);
console.log(
  `${histories} histories of ${requests} requests: ${contradictions} contradictions, in ${seconds} s`,
);
if (contradictions > 0) process.exitCode = 1;
