import { createFakeProcessor } from '@chairside/fake-processor';
import { execute, generatePlan, type Harness } from '@chairside/trials';
import { mapHarness } from '../ours/harness.ts';
import { drawFaults, drawPhones, type PhonePlan } from './phone-plan.ts';
import { createPhones } from './phones.ts';

/** The register needs the reference before a card is read (D103), so no processor shows it late. */
const harness: Harness = {
  ...mapHarness,
  async open(clock, seed) {
    const world = await mapHarness.open(clock, seed);
    return { ...world, processor: createFakeProcessor({ clock, seed: `${seed}` }) };
  },
};

export interface PhonesReport {
  readonly faults: readonly string[];
  readonly phones: number;
  readonly paid: number;
  readonly kills: number;
}

/** Other clients use the same service meanwhile, and it has faults. */
const otherOperations = 30;

/** Plays the phones of a seed, or the given ones. */
export async function simulatePhones(
  seed: number,
  change: (plans: readonly PhonePlan[]) => readonly PhonePlan[] = (plans) => plans,
): Promise<PhonesReport> {
  const plan = generatePlan(seed, { operations: otherOperations });
  const plans = change(drawPhones(seed, plan));
  const phones = createPhones(plans);
  // A capture that ends hours later holds its appointment. These phones wait for minutes.
  const faults = [...plan.faults, ...drawFaults(seed, plans)].filter(
    ({ kind }) => kind !== 'endsLater',
  );
  const { violations } = await execute(harness, { ...plan, faults }, phones);
  return {
    faults: [...violations.map(({ rule, what }) => `${rule}: ${what}`), ...phones.faults()],
    phones: plans.length,
    paid: phones.paid(),
    kills: plans.reduce((sum, { kills }) => sum + kills.length, 0),
  };
}
