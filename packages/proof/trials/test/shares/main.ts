import { parseArgs } from 'node:util';
import { plant } from '../bugs/mutants.ts';
import { dropOwnSchemas, harnesses, isHarnessName } from '../ours/harness.ts';
import { serverOf } from '../ours/server-of.ts';
import { shareBugs } from './bugs.ts';
import { shareSeeds } from './seeds.ts';

// `pnpm trial shares --seeds 3000 --store sqlite`; `--bugs` names the planted bugs that are found.

/** A bug that they do not find is not found. Most need fewer than ten. */
const mostSeeds = 300;
const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    bugs: { type: 'boolean', default: false },
    store: { type: 'string', default: 'map' },
  },
});
const { seeds, from, store, bugs } = values;
if (bugs) {
  for (const bug of shareBugs) {
    const { faults } = await shareSeeds(await plant(bug), mostSeeds);
    if (faults.length > 0) console.log(bug.name);
  }
  process.exit();
}
if (!isHarnessName(store)) throw new Error(`there is no store '${store}'`);
const server = await serverOf(store);
const begun = performance.now();
const report = await shareSeeds(harnesses[store], Number(seeds), Number(from));
const seconds = Math.round((performance.now() - begun) / 1000);
console.log(JSON.stringify({ ...report, seconds }, undefined, 1));
await dropOwnSchemas();
await server?.remove();
process.exit(report.faults.length === 0 ? 0 : 1);
