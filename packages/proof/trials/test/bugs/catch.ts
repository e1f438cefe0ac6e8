import {
  allFaultKinds,
  crowded,
  execute,
  exhaust,
  generatePlan,
  type Harness,
  opening,
  type Plan,
  type PlannedFault,
  preparingAgain,
  scenarios,
  type Violation,
} from '@chairside/trials';
import { plant } from './mutants.ts';
import type { PlantedBug } from './planted-bug.ts';

/** How a planted bug was found. */
export interface Catch {
  readonly bug: string;
  /** The run that shows it; absent if it was not noticed. */
  readonly by?: string;
  readonly violation?: Violation;
}

/** A small one has few calls, so that all of its faults cost little. */
const smallFirst = Object.entries(scenarios).toSorted(
  ([, a], [, b]) => a.actions.length - b.actions.length,
);

const maxSeeds = 100;
/** Most bugs show by then, and cost less than with every fault. */
const firstSeeds = 5;

/** Searches for a bug with the cheapest method first. */
export async function catchBug(bug: PlantedBug): Promise<Catch> {
  const harness = await plant(bug);
  for await (const caught of looks(bug, harness)) {
    if (caught.violation !== undefined) return caught;
  }
  return { bug: bug.name };
}

async function* looks(bug: PlantedBug, harness: Harness): AsyncGenerator<Catch> {
  const run = (by: string) => show(bug, harness, by);
  for (const name of [...Object.keys(scenarios), 'crowded']) yield run(name);
  for (let seed = 1; seed <= firstSeeds; seed += 1) yield run(`seed ${seed}`);
  for (const [name, plan] of smallFirst) yield faults(name, plan, 1);
  for (let seed = firstSeeds + 1; seed <= maxSeeds; seed += 1) yield run(`seed ${seed}`);
  for (const [name, plan] of Object.entries({ opening, preparingAgain })) {
    yield faults(name, plan, 2);
  }

  async function faults(name: string, plan: Plan, depth: 1 | 2): Promise<Catch> {
    const { failures } = await exhaust({ harness, plan, depth, maxFailures: 1 });
    const [failure] = failures;
    const violation = failure?.violations.find(({ rule }) => rule === bug.breaks);
    if (failure === undefined || violation === undefined) return { bug: bug.name };
    const met = failure.plan.faults.slice(plan.faults.length);
    return { bug: bug.name, by: textOf(name, met), violation };
  }
}

/** Does again what showed the bug before. */
export async function showAgain(bug: PlantedBug): Promise<Catch> {
  return show(bug, await plant(bug), bug.by);
}

async function show(bug: PlantedBug, harness: Harness, by: string): Promise<Catch> {
  const { violations } = await execute(harness, planOf(by));
  const violation = violations.find(({ rule }) => rule === bug.breaks);
  return { bug: bug.name, by, ...(violation !== undefined && { violation }) };
}

// A run that shows a bug, as a text: `seed 12`, or the name of a scenario and the faults that it met, as in
// `visit, 2.commit#3 vanishes` (what befalls the third commit of action 2).

const named: Readonly<Record<string, Plan>> = { ...scenarios, crowded, opening, preparingAgain };

function textOf(scenario: string, faults: readonly PlannedFault[] = []): string {
  const met = faults.map(({ action, call, kind }) => `${action}.${call} ${kind}`);
  return [scenario, ...met].join(', ');
}

function planOf(text: string): Plan {
  const seed = /^seed (\d+)$/.exec(text)?.[1];
  if (seed !== undefined) return generatePlan(Number(seed));
  const [scenario = '', ...met] = text.split(', ');
  const plan = named[scenario];
  if (plan === undefined) throw new Error(`there is no scenario '${scenario}'`);
  return { ...plan, faults: [...plan.faults, ...met.map(faultOf)] };
}

function faultOf(text: string): PlannedFault {
  const [, action, call = '', name] = /^(\d+)\.(.+) (\w+)$/.exec(text) ?? [];
  const kind = allFaultKinds.find((one) => one === name);
  if (kind === undefined) throw new Error(`'${text}' is no fault`);
  return { action: Number(action), call, kind };
}
