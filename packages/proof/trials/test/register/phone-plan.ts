import { canBefall, drawnFaultKinds, type Plan, type PlannedFault } from '@chairside/trials';
import { createRandom, type Random } from '../fuzz/random.ts';

/** The events of the app on one phone. */
export interface PhonePlan {
  /** The name of its requests among the actions of the plan. */
  readonly action: number;
  readonly barber: number;
  readonly appointment: number;
  readonly at: number;
  readonly amount?: string;
  readonly card: string;
  /** The card presented after the first one. */
  readonly goodCard: string;
  /** The await at which each life ends. */
  readonly kills: readonly number[];
  /** The pause after each life. */
  readonly goneMs: readonly number[];
  readonly lostAnswers: readonly number[];
  readonly storageFaults: readonly { readonly write: number; readonly isKept: boolean }[];
  /** A planted bug that the run must find: the notes are lost with the app. */
  readonly losesNotes?: boolean;
}

const firstAction = 500_000;
const cards = [
  'visa_credit',
  'visa_credit',
  'declined',
  'declined_then_approved',
  'slow_to_approve',
  'partially_authorized',
  'expires_soon',
  'canceled',
] as const;
const minuteMs = 60_000;

/** Phones of both barbers; often two for one appointment. */
export function drawPhones(seed: number, { appointments }: Plan): readonly PhonePlan[] {
  const random = createRandom(seed * 7919 + 1);
  const several = (most: number, bound: number) =>
    Array.from({ length: random.below(most + 1) }, () => 1 + random.below(bound));
  const phones = 2 + random.below(4);
  const appointment = random.below(appointments);
  return Array.from({ length: phones }, (_, index): PhonePlan => {
    const own = random.chance(0.6) ? appointment : random.below(appointments);
    const kills = several(3, 45);
    return {
      action: firstAction + 2 * index,
      barber: own % 2,
      appointment: own,
      at: random.below(minuteMs),
      ...(random.chance(0.3) && { amount: random.pickOr(['10.00', '20.00'], '10.00') }),
      card: random.pickOr(cards, 'visa_credit'),
      goodCard: 'visa_credit',
      kills,
      goneMs: kills.map(() => random.pickOr([500, 5000, 2 * minuteMs, 30 * minuteMs], 500)),
      lostAnswers: several(3, 12),
      storageFaults: several(2, 12).map((write) => ({ write, isKept: random.chance(0.5) })),
    };
  });
}

/** Faults of the ports for some of the phones' requests. */
export function drawFaults(seed: number, phones: readonly PhonePlan[]): PlannedFault[] {
  const random = createRandom(seed * 104_729 + 1);
  const kinds = drawnFaultKinds.filter((kind) => canBefall(kind, 'keyedProcessor'));
  return phones.flatMap(({ action }) => faultsOf(random, kinds, action));
}

function faultsOf(random: Random, kinds: readonly PlannedFault['kind'][], action: number) {
  return Array.from(
    { length: random.below(4) },
    (): PlannedFault => ({
      action: action + random.below(2),
      call: random.below(30),
      kind: random.pickOr(kinds, 'fails'),
    }),
  );
}
