import { formatMoney, hourMs, minuteMs, secondMs } from '@chairside/core';
import type { Action } from './action.ts';
import { changesOf } from './generate-changes.ts';
import { lossesOf } from './generate-losses.ts';
import { chargesOf, preparationsOf } from './generate-preparations.ts';
import { refundsOf } from './generate-refunds.ts';
import { bookingsOf, tendersOf, withTips } from './generate-shop.ts';
import type { Plan, PlannedFault } from './plan.ts';
import { createRandom, hash, type Random } from './random.ts';
import { type Draft, drawSwarm, type Swarm } from './swarm.ts';

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
  const actions = drafts
    .slice(0, operations)
    .sort((a, b) => a.at - b.at)
    .map((draft, id): Action => ({ ...draft, id }));
  const faults = actions.flatMap(({ id }) => faultsOf(random, swarm, id, likelyCalls));
  const preparations = preparationsOf(seed, swarm, actions);
  const more = preparations.drafts.map((draft, index): Action => {
    return { ...draft, id: operations + index };
  });
  const narrow: Plan = {
    seed,
    appointments: swarm.appointments,
    actions: [...actions, ...more],
    faults: [
      ...faults,
      ...more.flatMap(({ id }) => faultsOf(preparations.random, swarm, id, likelyPreparationCalls)),
    ],
    ...(swarm.writesPerMinute > 0 && { writesPerMinute: swarm.writesPerMinute }),
  };
  return withTips(isWide ? widened(narrow, swarm) : narrow);
}

/**
 * Past an expiry, an orphan's age or an authorization's end, but shorter than the retention of
 * keys.
 */
function leap(random: Random, at: number): number {
  const ms = random.pick([16 * minuteMs, 90 * minuteMs, 49 * hourMs]);
  return at + ms < 60 * hourMs ? ms : 0;
}

function widened(plan: Plan, swarm: Swarm): Plan {
  const changes = changesOf(plan.seed, swarm, plan.actions);
  const { sent, skewMs } = changes;
  const more = numbered(changes.drafts, sent.length);
  const faults = more.flatMap(({ id }) => faultsOf(changes.random, swarm, id, likelyCalls));
  const refunds = refundsOf(plan.seed, swarm, plan.actions);
  const { random, kinds } = refunds;
  const given = numbered(refunds.drafts, sent.length + more.length);
  const ofGiven = given.flatMap(({ id }) => faultsOf(random, { ...swarm, kinds }, id, likelyCalls));
  const charges = chargesOf(plan.seed, swarm, plan.actions);
  const charged = numbered(charges.drafts, sent.length + more.length + given.length);
  const ofCharged = charged.flatMap(({ id }) => faultsOf(charges.random, swarm, id, likelyCalls));
  const losses = lossesOf(plan.seed, swarm, plan.actions);
  const before = sent.length + more.length + given.length + charged.length;
  const lost = numbered(losses.drafts, before);
  const ofLost = lost.flatMap(({ id }) => faultsOf(losses.random, swarm, id, likelyCalls));
  const tenders = tendersOf(plan.seed, swarm, plan.actions);
  const tendered = numbered(tenders.drafts, before + lost.length);
  const ofTendered = tendered.flatMap(({ id }) => faultsOf(tenders.random, swarm, id, likelyCalls));
  const bookings = bookingsOf(plan.seed, plan.actions);
  const booked = numbered(bookings.drafts, before + lost.length + tendered.length);
  const ofBooked = booked.flatMap(({ id }) => faultsOf(bookings.random, swarm, id, likelyCalls));
  return {
    ...plan,
    actions: [...sent, ...more, ...given, ...charged, ...lost, ...tendered, ...booked],
    faults: [
      ...plan.faults,
      ...changes.faults,
      ...faults,
      ...ofGiven,
      ...ofCharged,
      ...ofLost,
      ...ofTendered,
      ...ofBooked,
      ...lateCapturesOf(plan),
    ],
    ...(skewMs !== 0 && { skewMs }),
    ...(plan.seed % 4 === 0 && { hidesDisputes: true }),
  };
}

/** In some worlds captures end later. Drawn separately, so that the rest of a seed stays the same. */
function lateCapturesOf({ seed, actions }: Plan): readonly PlannedFault[] {
  const random = createRandom(hash(seed, lateCapturesMark));
  const share = random.pick([0, 0, 0.3, 1]);
  const isLate = ({ does }: Action) =>
    (does === 'capture' || does === 'reconcile') && random.chance(share);
  // The one call of them that captures may be any.
  return actions.filter(isLate).flatMap(({ id: action }) =>
    Array.from({ length: likelyCalls }, (_, call) => ({
      action,
      call,
      kind: 'endsLater' as const,
    })),
  );
}

const lateCapturesMark = 0x1a7e;

function numbered(drafts: readonly Draft[], from: number): readonly Action[] {
  return drafts.map((draft, index): Action => ({ ...draft, id: from + index }));
}

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
  const taps = random.chance(impatience) ? { taps: 2 + random.below(3) } : {};
  const as = random.chance(mischief / 2) ? { as: random.pick(['roleless', 'other'] as const) } : {};
  const drafts: Draft[] = [];
  let at = begun;
  const later = (ms: number) => {
    at += random.below(ms);
    return at;
  };

  drafts.push({ does: 'create', at, appointment, key, ...amount, ...taps });
  if (random.chance(mischief)) {
    drafts.push({ does: 'create', at: later(secondMs), appointment, key, amount: '7.00' });
  }
  if (random.chance(mischief) && appointment + 2 < swarm.appointments) {
    drafts.push({
      does: 'create',
      at: later(secondMs),
      appointment: appointment + 2,
      key,
      ...amount,
    });
  }
  if (random.chance(impatience / 2)) {
    drafts.push({ does: 'create', at: later(9 * secondMs), appointment, key, ...amount, ...as });
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

/** The expected number of calls in an action. */
const likelyCalls = 16;
const likelyPreparationCalls = 7;

function faultsOf(
  random: Random,
  { kinds, faultRate }: Swarm,
  action: number,
  calls: number,
): PlannedFault[] {
  const faults: PlannedFault[] = [];
  const [first, ...others] = kinds;
  while (first !== undefined && faults.length < 4 && random.chance(faultRate)) {
    const kind = random.pick([first, ...others]);
    faults.push({ action, call: random.below(calls), kind });
  }
  return faults;
}
