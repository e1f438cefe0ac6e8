import type { Taking } from '@chairside/client';
import { createFakeProcessor } from '@chairside/fake-processor';
import { type Companion, execute, generatePlan, type Harness, type Run } from '@chairside/trials';
import { mapHarness } from '../ours/harness.ts';
import { type Phone, start } from './phone.ts';
import { drawFaults, drawPhones, type PhonePlan } from './phone-plan.ts';
import { createScreen } from './screen.ts';

interface Phones extends Companion {
  /** The broken promises at the end. */
  faults(): readonly string[];
  /** The number of payments that the screens showed as paid. */
  paid(): number;
}

const roundsAtOnce = 2;
const roundsAtEnd = 12;
const betweenRoundsMs = 10_000;
/** A person has to settle these. */
const settledByHand = /"stuck":"(?:askShop|signIn|unreadable)"/;

/** The apps of a plan, as one more client of the simulated world. */
function createPhones(plans: readonly PhonePlan[]): Phones {
  const phones = plans.map(
    (plan): Phone => ({
      plan,
      kept: new Map(),
      screen: createScreen(),
      counts: { requests: 0, writes: 0, keys: 0 },
      isHealed: false,
    }),
  );
  const ended = new Map<Phone, Promise<void>>();
  const paid = new Set<Phone>();
  let world: Run | undefined;

  /** The barber's actions after each start of the app. */
  async function barber(run: Run, phone: Phone, killAt: number | undefined, rounds: number) {
    const appointmentId = `appointment-${phone.plan.appointment}`;
    const { register, died } = start(run, phone, killAt);
    const { amount } = phone.plan;

    async function work(): Promise<void> {
      for (const left of (await register.unfinished()) ?? []) {
        note(phone, await register.resume(left.appointmentId));
      }
      if (paid.has(phone)) return;
      for (let round = 0; round < rounds; round += 1) {
        const asked = amount === undefined ? {} : { amount };
        const taking = await register.take({ appointmentId, ...asked });
        note(phone, taking);
        if (isOver(taking)) return;
        await run.scheduler.after(betweenRoundsMs, () => undefined);
      }
    }
    await Promise.race([work(), died]);
  }

  function note(phone: Phone, { step }: Taking): void {
    if (step === 'captured') paid.add(phone);
  }

  async function live(run: Run, phone: Phone): Promise<void> {
    const { at, kills, goneMs } = phone.plan;
    await run.scheduler.after(at, () => undefined);
    for (const [index, killAt] of kills.entries()) {
      await barber(run, phone, killAt, roundsAtOnce);
      if (phone.plan.losesNotes === true) phone.kept.clear();
      await run.scheduler.after(goneMs[index] ?? 0, () => undefined);
    }
    await barber(run, phone, undefined, roundsAtOnce);
  }

  return {
    async act(run) {
      world = run;
      for (const phone of phones) ended.set(phone, live(run, phone));
      await Promise.all(ended.values());
    },
    async comeBack(run) {
      await Promise.all(
        phones.map(async (phone) => {
          phone.isHealed = true;
          await ended.get(phone);
          await barber(run, phone, undefined, roundsAtEnd);
        }),
      );
    },
    paid: () => paid.size,
    faults() {
      const run = world;
      if (run === undefined) return [];
      return phones.flatMap(({ plan, kept, screen }) => {
        const left = [...kept.values()].filter((entry) => !settledByHand.test(entry));
        return [...screen.faults(run), ...left.map((entry) => `a note is left: ${entry}`)].map(
          (fault) => `${JSON.stringify(plan)}: ${fault}`,
        );
      });
    },
  };
}

function isOver({ step, reason }: Taking): boolean {
  if (step === 'captured') return true;
  if (step === 'stuck') return reason === 'askShop' || reason === 'signIn';
  const final = ['alreadyPaid', 'noPrice', 'noAccess', 'owesLess', 'notSetUp', 'refused'];
  return step === 'canceled' && final.includes(reason ?? '');
}

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
