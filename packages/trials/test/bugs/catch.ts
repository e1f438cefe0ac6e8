import {
  execute,
  exhaust,
  generatePlan,
  lowered,
  moved,
  opening,
  preparing,
  preparingAgain,
  refunded,
  registering,
  secondCard,
  type Violation,
  visit,
} from '@chairside/trials';
import { mapHarness } from '../ours/harness.ts';
import { plant } from './mutants.ts';
import type { PlantedBug } from './planted-bug.ts';

/** How a planted bug was found. */
export interface Catch {
  readonly bug: string;
  /** `exhaustive`, or the seed; absent if no run found it. */
  readonly by?: string;
  readonly runs: number;
  readonly violation?: Violation;
}

const maxSeeds = 1000;
/** Most bugs show by then; the others may need two faults at once. */
const firstSeeds = 20;

/** Searches for a bug with the cheapest method first. */
export async function catchBug(bug: PlantedBug): Promise<Catch> {
  // The HTTP handler uses the real core's classes, so it cannot serve a second core.
  const { serveHttp: _, ...inProcess } = mapHarness;
  const harness = { ...inProcess, createChairside: await plant(bug) };
  let runs = 0;
  for await (const { by, made, violations } of looks()) {
    runs += made;
    const [violation] = violations;
    if (violation !== undefined) return { bug: bug.name, by, runs, violation };
  }
  return { bug: bug.name, runs };

  async function* looks() {
    yield faults(visit, 1);
    for (let seed = 1; seed <= firstSeeds; seed += 1) yield run(seed);
    for (const plan of [secondCard, refunded, preparing, registering, moved]) yield faults(plan, 1);
    for (const plan of [opening, preparingAgain, lowered]) yield faults(plan, 2);
    for (let seed = firstSeeds + 1; seed <= maxSeeds; seed += 1) yield run(seed);
  }

  async function faults(plan: typeof visit, depth: 1 | 2) {
    const report = await exhaust({ harness, plan, depth, maxFailures: 1 });
    const violations = report.failures.flatMap((failure) => failure.violations);
    return { by: 'exhaustive', made: report.runs, violations };
  }

  async function run(seed: number) {
    const { violations } = await execute(harness, generatePlan(seed));
    return { by: `seed ${seed}`, made: 1, violations };
  }
}
