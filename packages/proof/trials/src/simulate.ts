import { execute, type Outcome } from './act/execute.ts';
import type { Violation } from './check/evidence.ts';
import { type GenerateOptions, generatePlan } from './plan/generate.ts';
import type { Plan } from './plan/plan.ts';
import type { Harness } from './world.ts';

export interface SimulateOptions extends GenerateOptions {
  /** How many plans are run. Default: 100. */
  readonly seeds?: number;
  /** The first seed. Default: 1. */
  readonly from?: number;
  readonly onProgress?: (progress: Progress) => void;
}

export interface Progress {
  readonly runs: number;
  readonly requests: number;
  readonly succeeded: number;
  readonly faults: number;
}

export interface SimulationReport extends Progress {
  /** The first seed that broke a promise, if any. */
  readonly failure?: Failure;
}

export interface Failure {
  readonly plan: Plan;
  readonly violations: readonly Violation[];
}

/** Runs seed after seed, and stops at the first broken promise. Then it shrinks the plan. */
export async function simulate(
  harness: Harness,
  options: SimulateOptions = {},
): Promise<SimulationReport> {
  const { seeds = 100, from = 1, onProgress } = options;
  let progress: Progress = { runs: 0, requests: 0, succeeded: 0, faults: 0 };
  for (let seed = from; seed < from + seeds; seed += 1) {
    const plan = generatePlan(seed, options);
    const outcome = await execute(harness, plan);
    progress = add(progress, outcome);
    onProgress?.(progress);
    if (outcome.violations.length > 0) {
      const smaller = await shrink(harness, plan);
      const { violations } = await execute(harness, smaller);
      return { ...progress, failure: { plan: smaller, violations } };
    }
  }
  return progress;
}

function add(before: Progress, { evidence, faultsMet }: Outcome): Progress {
  const first = evidence.exchanges.filter(({ isLast }) => !isLast);
  const succeeded = first.filter(({ answer }) => (answer?.status ?? 500) < 300);
  return {
    runs: before.runs + 1,
    requests: before.requests + first.length,
    succeeded: before.succeeded + succeeded.length,
    faults: before.faults + faultsMet,
  };
}

const maxRuns = 500;

/**
 * Shrinks a plan as long as it breaks one of the same promises. It removes halves of the actions
 * and faults first, then smaller and smaller parts.
 */
export async function shrink(harness: Harness, plan: Plan): Promise<Plan> {
  let runs = 0;
  const rules = await rulesBroken(plan);

  async function rulesBroken(candidate: Plan): Promise<Set<string>> {
    runs += 1;
    const { violations } = await execute(harness, candidate);
    return new Set(violations.map(({ rule }) => rule));
  }

  async function isAsBad(candidate: Plan): Promise<boolean> {
    const broken = await rulesBroken(candidate);
    return [...rules].some((rule) => broken.has(rule));
  }

  /** Removes parts of a list, from halves down to single members. */
  async function shortened<T>(list: readonly T[], make: (kept: readonly T[]) => Plan) {
    let kept = list;
    for (let size = Math.ceil(kept.length / 2); size >= 1; size = size === 1 ? 0 : size >> 1) {
      for (let begin = 0; begin < kept.length && runs < maxRuns; ) {
        const fewer = [...kept.slice(0, begin), ...kept.slice(begin + size)];
        if (await isAsBad(make(fewer))) kept = fewer;
        else begin += size;
      }
    }
    return kept;
  }

  let smaller = plan;
  for (let before = Number.POSITIVE_INFINITY; runs < maxRuns; ) {
    smaller = { ...smaller, actions: await shortened(smaller.actions, withActions(smaller)) };
    smaller = { ...smaller, faults: await shortened(smaller.faults, withFaults(smaller)) };
    const size = smaller.actions.length + smaller.faults.length;
    if (size === before) break;
    before = size;
  }
  const kept = new Set(smaller.actions.map(({ id }) => id));
  return { ...smaller, faults: smaller.faults.filter(({ action }) => kept.has(action)) };
}

const withActions = (plan: Plan) => (actions: Plan['actions']) => ({ ...plan, actions });
const withFaults = (plan: Plan) => (faults: Plan['faults']) => ({ ...plan, faults });
