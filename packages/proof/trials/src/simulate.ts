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
  readonly operations: number;
  readonly requests: number;
  readonly succeeded: number;
  readonly faults: number;
  /** Statements of a day that were compared with the processor's books. */
  readonly statements: number;
  readonly turns: number;
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
  let progress: Progress = noProgress;
  for (let seed = from; seed < from + seeds; seed += 1) {
    const plan = generatePlan(seed, options);
    const outcome = await execute(harness, plan);
    progress = add(progress, plan, outcome);
    onProgress?.(progress);
    if (outcome.violations.length > 0) {
      const smaller = await shrink(harness, plan);
      const { violations } = await execute(harness, smaller);
      return { ...progress, failure: { plan: smaller, violations } };
    }
  }
  return progress;
}

const noProgress: Progress = {
  runs: 0,
  operations: 0,
  requests: 0,
  succeeded: 0,
  faults: 0,
  statements: 0,
  turns: 0,
};

function add(before: Progress, plan: Plan, { evidence, faultsMet, turns }: Outcome): Progress {
  const first = evidence.exchanges.filter(({ isLast }) => !isLast);
  const isSuccess = ({ answer }: (typeof first)[number]) => (answer?.status ?? 500) < 300;
  return {
    runs: before.runs + 1,
    operations: before.operations + plan.actions.length,
    requests: before.requests + first.length,
    succeeded: before.succeeded + first.filter(isSuccess).length,
    faults: before.faults + faultsMet,
    statements: before.statements + evidence.statements,
    turns: before.turns + turns,
  };
}
