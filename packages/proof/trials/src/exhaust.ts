import { execute } from './act/execute.ts';
import {
  allFaultKinds,
  canBefall,
  type FaultKind,
  type Plan,
  type PlannedFault,
} from './plan/plan.ts';
import type { Failure } from './simulate.ts';
import type { Harness } from './world.ts';

export interface ExhaustOptions {
  readonly harness: Harness;
  /** Runs once without faults, then with each fault. */
  readonly plan: Plan;
  /** The number of faults in one run. Default: 1. */
  readonly depth?: 1 | 2;
  readonly kinds?: readonly FaultKind[];
  /** The actions whose calls get faults. Default: all. */
  readonly actions?: readonly number[];
  /** Tries one fault of this many, evenly spread. Default: each. */
  readonly oneOf?: number;
  /** Stops after this many failures. Default: 10. */
  readonly maxFailures?: number;
}

export interface ExhaustReport {
  readonly runs: number;
  readonly failures: readonly Failure[];
}

/**
 * Tries every fault at every port call of a plan. At depth 2 it combines each with every fault at
 * every later call, including calls that only the first fault causes.
 */
export async function exhaust(options: ExhaustOptions): Promise<ExhaustReport> {
  const { harness, plan, depth = 1, kinds = allFaultKinds, oneOf = 1, maxFailures = 10 } = options;
  const isTried = (action: number) => options.actions?.includes(action) ?? true;
  const failures: Failure[] = [];
  let runs = 0;
  let met = 0;

  /** @param from faults are tried at calls after this one; earlier calls had theirs before. */
  async function visit(faults: readonly PlannedFault[], from: number): Promise<void> {
    if (failures.length >= maxFailures) return;
    const candidate = { ...plan, faults: [...plan.faults, ...faults] };
    const { violations, made } = await execute(harness, candidate);
    runs += 1;
    if (violations.length > 0) failures.push({ plan: candidate, violations });
    if (faults.length === depth) return;
    for (const [index, { action, name, port }] of made.entries()) {
      if (index < from || !isTried(action)) continue;
      for (const kind of kinds) {
        if (!canBefall(kind, port)) continue;
        met += 1;
        if (met % oneOf !== 0) continue;
        await visit([...faults, { action, call: name, kind }], index + 1);
      }
    }
  }

  await visit([], 0);
  return { runs, failures };
}
