import { formatMoney, hourMs, minuteMs, secondMs } from '@chairside/core';
import { changesOf } from './generate-changes.ts';
import { lossesOf } from './generate-losses.ts';
import { chargesOf, preparationsOf } from './generate-preparations.ts';
import { refundsOf } from './generate-refunds.ts';
import { bookingsOf, tendersOf, withTips } from './generate-shop.ts';
import type { Action, Draft, Plan, PlannedFault } from './plan.ts';
import { createRandom, hash, type Random, timeFrom } from './random.ts';
import {
  byTime,
  type Drawn,
  drawSwarm,
  faultsOf,
  likelyCalls,
  type Swarm,
  tapsOf,
} from './swarm.ts';

export interface GenerateOptions {
  /** The number of actions. Default: 200. */
  readonly operations?: number;
  /** False omits the host's changes, refunds, HTTP and wrong clocks, so that only visits and preparations are left. */
  readonly isWide?: boolean;
}

/**
 * Makes a plan from a seed. Each seed draws its own world (swarm testing): the number of
 * appointments, the crowding, the kinds of faults and their frequency. A fixed part that all seeds
 * share would never be tested without.
 */
export function generatePlan(seed: number, options: GenerateOptions = {}): Plan {
  const { operations = 200, isWide = true } = options;
  const random = createRandom(seed);
  const swarm = drawSwarm(random);
  const drafts: Draft[] = [];
  let at = 0;
  const visits: Visits = [[], []];
  while (drafts.length < operations) {
    drafts.push(...visitOf(random, swarm, visits, at));
    if (random.chance(swarm.upkeep)) drafts.push(upkeep(random, at));
    at += random.below(swarm.gapMs);
    if (random.chance(swarm.leaps)) at += leap(random, at);
  }
  const visited: Drawn = { random, drafts: drafts.slice(0, operations).sort(byTime) };
  const ofVisits = numbered(swarm, visited, 0);
  const prepared = preparationsOf(seed, swarm, ofVisits.actions);
  const narrow = together([
    ofVisits,
    numbered(swarm, prepared, operations, likelyPreparationCalls),
  ]);
  const plan: Plan = {
    seed,
    appointments: swarm.appointments,
    ...(isWide ? widened(seed, swarm, narrow) : narrow),
    ...(swarm.writesPerMinute > 0 && { writesPerMinute: swarm.writesPerMinute }),
  };
  return withTips(plan);
}

/** Actions with their faults. */
type Part = Pick<Plan, 'actions' | 'faults'>;

function together(parts: readonly Part[]): Part {
  return {
    actions: parts.flatMap(({ actions }) => actions),
    faults: parts.flatMap(({ faults }) => faults),
  };
}

function numbered(
  swarm: Swarm,
  { random, drafts, kinds }: Drawn,
  from: number,
  calls?: number,
): Part {
  const actions = drafts.map((draft, index): Action => ({ ...draft, id: from + index }));
  const own = { ...swarm, ...(kinds !== undefined && { kinds }) };
  return { actions, faults: actions.flatMap(({ id }) => faultsOf(random, own, id, calls)) };
}

/**
 * Past an expiry, an orphan's age or an authorization's end, but shorter than the retention of
 * keys.
 */
function leap(random: Random, at: number): number {
  const ms = random.pick([16 * minuteMs, 90 * minuteMs, 49 * hourMs]);
  return at + ms < 60 * hourMs ? ms : 0;
}

function widened(
  seed: number,
  swarm: Swarm,
  { actions, faults }: Part,
): Omit<Plan, 'appointments'> {
  const changes = changesOf(seed, swarm, actions);
  const parts: Part[] = [{ actions: changes.sent, faults: [...faults, ...changes.faults] }];
  const all = [
    changes,
    ...[refundsOf, chargesOf, lossesOf, tendersOf, bookingsOf].map((draw) =>
      draw(seed, swarm, actions),
    ),
  ];
  for (const drawn of all) {
    parts.push(numbered(swarm, drawn, together(parts).actions.length));
  }
  const { skewMs } = changes;
  return {
    seed,
    ...together([...parts, { actions: [], faults: lateCapturesOf(seed, actions) }]),
    ...(skewMs !== 0 && { skewMs }),
    ...(seed % 4 === 0 && { hidesDisputes: true }),
  };
}

/** In some worlds captures end later. Drawn separately, so that the rest of a seed stays the same. */
function lateCapturesOf(seed: number, actions: readonly Action[]): readonly PlannedFault[] {
  const random = createRandom(hash(seed, lateCapturesMark));
  const share = random.pick([0, 0, 0.3, 1]);
  const isLate = ({ does }: Action) =>
    (does === 'capture' || does === 'reconcile') && random.chance(share);
  // The one call of them that captures may be any.
  return actions.filter(isLate).flatMap(({ id: action }) =>
    Array.from({ length: likelyCalls }, (_, call): PlannedFault => {
      return { action, call, kind: 'endsLater' };
    }),
  );
}

const lateCapturesMark = 0x1a7e;

/** The keys that each barber has used so far. */
type Visits = readonly [string[], string[]];

/** A customer pays, with possible disturbances. */
function visitOf(random: Random, swarm: Swarm, visits: Visits, begun: number): Draft[] {
  const { impatience, mischief } = swarm;
  const appointment = random.below(swarm.appointments);
  // Each barber counts separately, so that both use the same keys.
  const own = visits[appointment % 2 === 0 ? 0 : 1];
  const key = `create-${own.length}`;
  own.push(key);
  const payment = key;
  const amount = random.chance(0.5)
    ? { amount: formatMoney(BigInt(500 + 500 * random.below(8))) }
    : {};
  const taps = tapsOf(random, impatience, 4);
  const as = random.chance(mischief / 2) ? { as: random.pick(['roleless', 'other'] as const) } : {};
  const { later } = timeFrom(random, begun);
  const create = { does: 'create', appointment, key, ...amount } as const;
  const drafts: Draft[] = [{ ...create, at: begun, ...taps }];
  if (random.chance(mischief)) {
    drafts.push({ ...create, at: later(secondMs), amount: '7.00' });
  }
  if (random.chance(mischief) && appointment + 2 < swarm.appointments) {
    drafts.push({ ...create, at: later(secondMs), appointment: appointment + 2 });
  }
  if (random.chance(impatience / 2)) {
    drafts.push({ ...create, at: later(9 * secondMs), ...as });
  }
  if (swarm.isCrowded || random.chance(0.1)) return drafts;
  drafts.push(...presents(random, swarm, { appointment, payment }, later));
  if (random.chance(0.05)) {
    drafts.push({ does: 'cancel', at: later(9 * secondMs), appointment, payment });
  }
  const captures = random.chance(impatience) ? 2 + random.below(2) : 1;
  for (let n = 0; n < captures; n += 1) {
    // Some apps make a new key for every retry (medusa #16292).
    const isNewKey = random.chance(impatience);
    const reference = random.chance(mischief)
      ? { reference: own[random.below(own.length)] ?? key }
      : {};
    drafts.push({
      does: 'capture',
      at: later(9 * secondMs),
      appointment,
      payment,
      key: isNewKey ? `${key}-capture-${n}` : `${key}-capture`,
      ...reference,
      ...(random.chance(impatience) ? taps : {}),
      ...(n > 0 ? as : {}),
    });
  }
  if (random.chance(0.1)) {
    drafts.push({ does: 'read', at: later(9 * secondMs), appointment, payment });
  }
  if (random.chance(0.05)) drafts.push({ does: 'raise', at: later(minuteMs), appointment });
  if (random.chance(swarm.changesAtProcessor)) {
    const how = random.pick(['capture', 'cancel', 'refund', 'dispute'] as const);
    drafts.push({ does: 'changeAtProcessor', at: later(20 * secondMs), appointment, payment, how });
  }
  return drafts;
}

function presents(
  random: Random,
  { cards }: Swarm,
  of: { readonly appointment: number; readonly payment: string },
  later: (ms: number) => number,
): Draft[] {
  const cardsTried = random.chance(0.2) ? 2 : 1;
  return Array.from({ length: cardsTried }, () => {
    return { does: 'present', at: later(12 * secondMs), ...of, card: random.pick(cards) };
  });
}

function upkeep(random: Random, at: number): Draft {
  return random.pick([
    () => ({ does: 'reconcile', at }) as const,
    () => ({ does: 'notify', at, disorder: random.below(4) }) as const,
    () => ({ does: 'deliver', at, refuses: random.below(2) * (2 + random.below(6)) }) as const,
  ])();
}

/** The expected number of calls in a preparation. */
const likelyPreparationCalls = 7;
