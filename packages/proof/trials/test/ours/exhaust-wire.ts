import type { StripeFault } from '@chairside/stripe-stand-in';
import { execute, type Plan, type Violation } from '@chairside/trials';
import { overWire, wireFaults } from './harness.ts';

export interface WireReport {
  readonly runs: number;
  readonly failures: readonly {
    readonly request: number;
    readonly fault: StripeFault;
    readonly violations: readonly Violation[];
  }[];
}

/**
 * Runs a plan with every fault at every request to Stripe, one fault a run.
 * @param oneOf tries one fault of this many at each request, another one at the next.
 */
export async function exhaustWire(plan: Plan, oneOf = 1): Promise<WireReport> {
  const failures: WireReport['failures'][number][] = [];
  let runs = 0;
  let isMet = true;
  // Ends at the first request that no run makes any more, under any earlier fault.
  for (let request = 1; isMet; request += 1) {
    isMet = false;
    for (const [index, fault] of wireFaults.entries()) {
      if ((request + index) % oneOf !== 0) continue;
      const harness = overWire((nth) => (nth === request ? fault : undefined));
      const { violations, evidence } = await execute(harness, plan);
      runs += 1;
      isMet ||= evidence.worldFaults > 0;
      if (violations.length > 0) failures.push({ request, fault, violations });
    }
  }
  return { runs, failures };
}
