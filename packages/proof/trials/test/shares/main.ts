import { parseArgs } from 'node:util';
import { harnesses, isHarnessName } from '../ours/harness.ts';
import { shareSeeds } from './seeds.ts';

// `pnpm trial shares --seeds 3000 --store sqlite`

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    store: { type: 'string', default: 'map' },
  },
});
const { seeds, from, store } = values;
if (!isHarnessName(store)) throw new Error(`there is no store '${store}'`);
const begun = performance.now();
const report = await shareSeeds(harnesses[store], Number(seeds), Number(from));
const seconds = Math.round((performance.now() - begun) / 1000);
console.log(JSON.stringify({ ...report, seconds }, undefined, 1));
process.exit(report.faults.length === 0 ? 0 : 1);
