import { hourMs, minuteMs, secondMs } from '@chairside/core';
import { type Action, type Does, officeTasks } from './action.ts';
import {
  accountsOf,
  altered,
  duesOf,
  isOfPayment,
  type Later,
  lateVisit,
  movesOf,
  type OfPayment,
  readAs,
  removalOf,
  rolesOf,
  sentAgain,
} from './draft-changes.ts';
import type { PlannedFault } from './plan.ts';
import { createRandom, hash, type Random } from './random.ts';
import type { Draft, Swarm } from './swarm.ts';

/** The extra operations in percent, different for each seed. */
const shares = [10, 20, 40] as const;

export interface Changes {
  readonly random: Random;
  readonly drafts: readonly Draft[];
  /** The same actions, some of them over HTTP. */
  readonly sent: readonly Action[];
  /** Failed look-ups of existing payments. */
  readonly faults: readonly PlannedFault[];
  readonly skewMs: number;
}

/**
 * The host's changes during payments, with transport requests and wrong clocks. They are drawn
 * separately, so that the payments of a seed stay the same.
 */
export function changesOf(seed: number, swarm: Swarm, actions: readonly Action[]): Changes {
  const random = createRandom(hash(seed, changesMark));
  const count = Math.ceil((actions.length * random.pick(shares)) / 100);
  const httpShare = random.pick([0, 0.1, 0.3]);
  const world: Changing = { random, swarm, visits: actions.filter(isOfPayment) };
  const drafts: Draft[] = [];
  while (drafts.length < count) drafts.push(...changeOf(world, actions));
  return {
    random,
    drafts: drafts.slice(0, count).sort((a, b) => a.at - b.at),
    sent: actions.map((action) =>
      isSendable(action) && random.chance(httpShare) ? { ...action, via: 'http' } : action,
    ),
    faults: swarm.faultRate === 0 ? [] : missingOf(random, actions),
    skewMs: random.pick([0, 0, 0, 0, 2 * hourMs, -2 * hourMs, daysOff(seed), -daysOff(seed)]),
  };
}

const changesMark = 0xc4a;

/** Longer than a card's authorization, than any key is kept, and than an undelivered event is kept. */
function daysOff(seed: number): number {
  return createRandom(hash(seed, clockMark)).pick([49 * hourMs, 80 * hourMs, 31 * 24 * hourMs]);
}

const clockMark = 0xc10c;

interface Changing {
  readonly random: Random;
  readonly swarm: Swarm;
  readonly visits: readonly OfPayment[];
}

function isSendable(action: Action): action is Does<'create' | 'capture' | 'read'> {
  return isOfPayment(action) || action.does === 'read';
}

/** One change, close to a request that it may affect. */
function changeOf({ random, swarm, visits }: Changing, actions: readonly Action[]): Draft[] {
  const [first] = actions;
  const near = visits[random.below(Math.max(1, visits.length))];
  if (first === undefined || near === undefined) return [{ does: 'reconcile', at: 0 }];
  const { appointment } = near;
  const payment = near.does === 'create' ? near.key : near.payment;
  const at = Math.max(0, near.at - secondMs + random.below(3 * secondMs));
  const later = () => at + random.below(random.pick([2 * secondMs, 20 * secondMs, 5 * minuteMs]));

  return random.pick([
    () => duesOf(random, appointment, at, later),
    () => duesOf(random, appointment, at, later),
    () => duesOf(random, appointment, at, later),
    () => removalOf(random, appointment, at, later),
    () => movesOf(random, appointment, near, at, later),
    () => movesOf(random, appointment, near, at, later),
    () => rolesOf(random, near, at, later),
    () => accountsOf(random, at, later),
    () => [sentAgain(random, near, later())],
    () => [sentAgain(random, near, later())],
    () => [sentAgain(random, near, later())],
    () => [readAs(random, appointment, payment, later())],
    () => altered(random, near, payment),
    () => (random.chance(0.5) ? lateVisit(random, appointment, at) : []),
    () => beside(random, swarm, { appointment, payment, at, later }),
  ])();
}

/** Actions beside payments. */
function beside(
  random: Random,
  { mischief }: Swarm,
  near: {
    readonly appointment: number;
    readonly payment: string;
    readonly at: number;
    readonly later: Later;
  },
): Draft[] {
  const { appointment, payment, at, later } = near;
  const as = random.chance(mischief) ? { as: random.pick(['other', 'roleless'] as const) } : {};
  return random.pick([
    (): Draft[] => [{ does: 'receipt', at: later(), appointment, payment, ...as }],
    (): Draft[] => [{ does: 'office', at, what: random.pick(officeTasks), ...as }],
    (): Draft[] => [{ does: 'forgetCustomer', at, customer: random.below(4) }],
    (): Draft[] => [{ does: 'erase', at: later(), customer: random.below(4) }],
  ])();
}

/** The expected number of calls in a capture. */
const likelyCalls = 16;

function missingOf(random: Random, actions: readonly Action[]): PlannedFault[] {
  return actions.flatMap(({ id, does }) => {
    const looks = does === 'capture' || does === 'reconcile' || does === 'cancel';
    return looks && random.chance(0.02)
      ? [{ action: id, call: random.below(likelyCalls), kind: 'missing' as const }]
      : [];
  });
}
