import { minuteMs, secondMs } from '@chairside/core';
import {
  type Action,
  type Draft,
  drawnFaultKinds,
  type FaultKind,
  type PlannedFault,
  type Sender,
} from './plan.ts';
import type { Random } from './random.ts';

export interface Swarm {
  readonly appointments: number;
  /** All customers pay for one appointment, and none presents a card. */
  readonly isCrowded: boolean;
  readonly gapMs: number;
  readonly leaps: number;
  readonly upkeep: number;
  readonly kinds: readonly FaultKind[];
  readonly faultRate: number;
  readonly impatience: number;
  readonly mischief: number;
  readonly changesAtProcessor: number;
  readonly cards: readonly [string, ...string[]];
  readonly writesPerMinute: number;
}

export function drawSwarm(random: Random): Swarm {
  const kinds = drawnFaultKinds.filter(() => random.chance(0.4));
  const clients = 2 + random.below(15);
  const isCrowded = random.chance(0.04);
  return {
    isCrowded,
    appointments: isCrowded ? 1 : 1 + random.below(2 * clients),
    gapMs: isCrowded ? 200 : random.pick([200, 2 * secondMs, 20 * secondMs, minuteMs]),
    leaps: random.pick([0, 0, 0.02, 0.05]),
    upkeep: random.pick([0.1, 0.4, 0.9]),
    kinds,
    faultRate: kinds.length === 0 ? 0 : random.pick([0, 0.1, 0.3, 0.6]),
    impatience: random.pick([0, 0.1, 0.5]),
    mischief: random.pick([0, 0, 0.05, 0.2]),
    changesAtProcessor: random.pick([0, 0, 0.05]),
    cards: random.pick([
      ['visa_credit'],
      ['visa_credit', 'apple_pay', 'declined_then_approved'],
      ['visa_credit', 'slow_to_approve', 'declined', 'canceled', 'partially_authorized'],
      ['visa_credit', 'mastercard_debit', 'expires_soon'],
    ]),
    writesPerMinute: random.pick([0, 0, 20]),
  };
}

/**
 * Actions of one kind, drawn by numbers of their own, so that the rest of a seed stays the same without them. Faults
 * of theirs are drawn by the same numbers.
 */
export interface Drawn {
  readonly random: Random;
  readonly drafts: readonly Draft[];
  /** Default: those of the swarm. */
  readonly kinds?: readonly FaultKind[];
}

/** Faults of an action's calls, of which it makes about so many. */
export function faultsOf(
  random: Random,
  { kinds, faultRate }: Pick<Swarm, 'kinds' | 'faultRate'>,
  action: number,
  calls = likelyCalls,
): PlannedFault[] {
  const faults: PlannedFault[] = [];
  const [first, ...others] = kinds;
  while (first !== undefined && faults.length < 4 && random.chance(faultRate)) {
    const kind = random.pick([first, ...others]);
    faults.push({ action, call: random.below(calls), kind });
  }
  return faults;
}

/** The expected number of calls in an action. */
export const likelyCalls = 16;

/** Perhaps an impatient thumb. */
export function tapsOf(random: Random, impatience: number, most = 2): { readonly taps?: number } {
  if (!random.chance(impatience)) return {};
  return { taps: most === 2 ? 2 : 2 + random.below(most - 1) };
}

/** Perhaps somebody who may not do it. */
export function intruderOf(random: Random, mischief: number): { readonly as?: Sender } {
  return random.chance(mischief) ? { as: random.pick(['other', 'roleless']) } : {};
}

export function isCreate(action: Action): action is Extract<Action, { readonly does: 'create' }> {
  return action.does === 'create';
}

export const byTime = (a: Draft, b: Draft) => a.at - b.at;
