import { minuteMs, secondMs } from '@chairside/core';
import type { Action } from './action.ts';
import { drawnFaultKinds, type FaultKind } from './fault-kinds.ts';
import type { Random } from './random.ts';

// cast: distributes `Omit` over the union of actions
export type Draft = Action extends infer A ? (A extends Action ? Omit<A, 'id'> : never) : never;

export interface Swarm {
  readonly appointments: number;
  readonly clients: number;
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
    clients,
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
