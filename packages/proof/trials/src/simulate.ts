import { execute, type Outcome } from './act/execute.ts';
import type { Violation } from './check/rules.ts';
import { type GenerateOptions, generatePlan } from './plan/generate.ts';
import type { Plan } from './plan/plan.ts';
import { shrink } from './shrink.ts';
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
  readonly failure?: {
    readonly plan: Plan;
    readonly violations: readonly Violation[];
  };
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
