import { execute } from './act/execute.ts';
import type { Violation } from './check/rules.ts';
import {
  allFaultKinds,
  canBefall,
  type FaultKind,
  type Plan,
  type PlannedFault,
} from './plan/plan.ts';
import type { Harness } from './world.ts';

export interface ExhaustOptions {
  readonly harness: Harness;
  /** Carried out without faults, then with every one. */
  readonly plan: Plan;
  /** How many faults meet in one run; 1 if not given. */
  readonly depth?: 1 | 2;
  readonly kinds?: readonly FaultKind[];
  readonly onRun?: (runs: number) => void;
  /** It stops at so many; 10 if not given. */
  readonly maxFailures?: number;
}

export interface ExhaustReport {
  readonly runs: number;
  readonly failures: readonly {
    readonly plan: Plan;
    readonly violations: readonly Violation[];
  }[];
}

/**
 * Every fault at every port call that a plan makes; at depth 2 each of these again with every fault
 * at every later call, those included that only the first fault brings about.
 */
export async function exhaust(options: ExhaustOptions): Promise<ExhaustReport> {
  const { harness, plan, depth = 1, kinds = allFaultKinds, onRun, maxFailures = 10 } = options;
  const failures: ExhaustReport['failures'][number][] = [];
  let runs = 0;

  /** @param from faults go to calls after this many: the earlier ones had theirs in turn. */
  async function visit(faults: readonly PlannedFault[], from: number): Promise<void> {
    if (failures.length >= maxFailures) return;
    const candidate = { ...plan, faults: [...plan.faults, ...faults] };
    const { violations, made } = await execute(harness, candidate);
    runs += 1;
    onRun?.(runs);
    if (violations.length > 0) failures.push({ plan: candidate, violations });
    if (faults.length === depth) return;
    for (const [index, { action, call, port }] of made.entries()) {
      if (index < from) continue;
      for (const kind of kinds) {
        if (!canBefall(kind, port)) continue;
        await visit([...faults, { action, call, kind }], index + 1);
      }
    }
  }

  await visit([], 0);
  return { runs, failures };
}
