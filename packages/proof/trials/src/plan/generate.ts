import { formatMoney, hourMs, minuteMs, secondMs } from '@chairside/core';
import { changesOf } from './generate-changes.ts';
import { chargesOf, preparationsOf } from './generate-preparations.ts';
import { bookingsOf, tendersOf, withTips } from './generate-shop.ts';
import {
  type Action,
  type Does,
  type Draft,
  type Plan,
  type PlannedFault,
  refundFaultKinds,
} from './plan.ts';
import { createRandom, hash, type Random, timeFrom } from './random.ts';
import {
  byTime,
  type Drawn,
  drawSwarm,
  faultsOf,
  intruderOf,
  isCreate,
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

const lossesMark = 0x1055;

/**
 * In one world of seven, an appointment is charged with two cards at once, shops give an excess back, and in
 * half of these the processor closes the shop's account. Drawn separately, so that the rest of a seed stays the same.
 */
function lossesOf(seed: number, swarm: Swarm, actions: readonly Action[]): Drawn {
  const random = createRandom(hash(seed, lossesMark));
  if (seed % 7 !== 5) return { random, drafts: [] };
  const created = actions.filter(isCreate);
  const lastAt = actions.at(-1)?.at ?? 0;
  const stories = Array.from({ length: 1 + random.below(4) }, (_, number) => {
    const near = created[random.below(Math.max(1, created.length))];
    return [
      ...twoCardsOf(random, swarm, number, random.below(Math.max(1, lastAt))),
      ...(near === undefined ? [] : excessOf(random, number, near)),
    ];
  });
  const drafts = stories.flat();
  if (random.chance(0.5)) {
    const at = Math.floor(lastAt * random.pick([0.5, 0.8, 1]));
    drafts.push({ does: 'loseAccount', at, account: 'acct_shop' });
  }
  return { random, drafts: drafts.sort(byTime) };
}

/** Two desks charge two cards of one customer for one visit, at one moment. */
function twoCardsOf(random: Random, swarm: Swarm, number: number, begun: number): Draft[] {
  const appointment = random.below(swarm.appointments);
  const customer = 2 + random.below(2);
  const save = random.chance(0.7);
  const setups = ['a', 'b'].map((card) => `two-${number}-${card}`);
  const drafts = setups.flatMap((setup): Draft[] => [
    { does: 'prepare', at: begun, customer, setup, key: setup, save },
    { does: 'enter', at: begun + 20 * secondMs, customer, setup, card: 'visa_credit' },
  ]);
  const [setup = ''] = setups;
  drafts.push({ does: 'book', at: begun + 30 * secondMs, appointment, customer, setup });
  const what = random.pick([
    { purpose: 'deposit', amount: '20.00' },
    { purpose: 'noShow', amount: '7.00' },
  ] as const);
  if (what.purpose === 'noShow') {
    drafts.push({ does: 'miss', at: begun + 31 * secondMs, appointment, fee: '15.00' });
  }
  const at = begun + minuteMs;
  return [
    ...drafts,
    ...setups.map((of): Draft => {
      return { does: 'charge', at, appointment, customer, setup: of, key: `${of}-charge`, ...what };
    }),
  ];
}

/** A part of a visit is given back, less is due from now on, and two desks give the excess back. */
function excessOf(random: Random, number: number, near: Does<'create'>): Draft[] {
  const { appointment, key: payment } = near;
  const { later } = timeFrom(random, near.at + random.below(random.pick([minuteMs, hourMs])));
  const drafts: Draft[] = [];
  if (random.chance(0.7)) {
    const amount = formatMoney(BigInt(100 * (1 + random.below(20))));
    const key = `part-${number}`;
    drafts.push({ does: 'refund', at: later(minuteMs), appointment, payment, key, amount });
  }
  const due = random.pick(['0.00', '5.00', '12.00', '30.00']);
  drafts.push({ does: 'setDue', at: later(minuteMs), appointment, due });
  for (const desk of [0, 1]) {
    const excess = { does: 'excess', appointment, key: `excess-${number}-${desk}` } as const;
    const taps = tapsOf(random, 0.3);
    drafts.push({ ...excess, at: later(random.pick([1, secondMs, minuteMs])), ...taps });
    if (random.chance(0.3)) drafts.push({ ...excess, at: later(hourMs) });
  }
  return drafts;
}

/** The extra operations for each hundred captures, different for each seed. */
const shares = [0, 20, 40, 80] as const;

/** Money that goes back, drawn separately, so that the payments of a seed stay the same. */
function refundsOf(seed: number, swarm: Swarm, actions: readonly Action[]): Drawn {
  const random = createRandom(hash(seed, refundsMark));
  const captures = actions.flatMap((action) => (action.does === 'capture' ? [action] : []));
  // The first one of an appointment succeeds more often.
  const firsts = captures.filter(
    ({ appointment }, index) =>
      captures.findIndex((one) => one.appointment === appointment) === index,
  );
  const count = Math.ceil((captures.length * random.pick(shares)) / 100);
  const kinds = [...swarm.kinds, ...refundFaultKinds.filter(() => random.chance(0.5))];
  const drafts: Draft[] = [];
  while (drafts.length < count) {
    const near = random.chance(0.8)
      ? firsts[random.below(firsts.length)]
      : captures[random.below(captures.length)];
    if (near !== undefined) drafts.push(...storyOf(random, swarm, near, drafts.length));
  }
  return { random, drafts: drafts.slice(0, count).sort(byTime), kinds };
}

const refundsMark = 0xef0d;

/** Refunds of one payment, and what happens to them. */
function storyOf(
  random: Random,
  swarm: Swarm,
  { appointment, payment, at: capturedAt }: Does<'capture'>,
  number: number,
): Draft[] {
  const begun = capturedAt + random.below(random.pick([secondMs, 20 * secondMs, 5 * minuteMs]));
  const { later, pass } = timeFrom(random, begun);
  const about = { appointment, payment };
  const changeAtProcessor = (how: Does<'changeAtProcessor'>['how'], at: number): Draft => {
    return { does: 'changeAtProcessor', at, ...about, how };
  };
  const drafts: Draft[] = [];
  // Several at a desk or on several nodes, each with a key of its own.
  const refunds = 1 + random.below(3);
  for (let n = 0; n < refunds; n += 1) {
    if (random.chance(0.2)) drafts.push(changeAtProcessor(random.pick(elsewhere), later(secondMs)));
    drafts.push(...refundOf(random, swarm, about, `refund-${number}-${n}`, later));
  }
  if (random.chance(0.3))
    drafts.push(changeAtProcessor('refundFails', later(random.pick([secondMs, hourMs]))));
  if (random.chance(0.25)) {
    const close = random.pick(['winDispute', 'loseDispute'] as const);
    // Some end in the second in which they begin.
    const withinMs = random.pick([1, hourMs, hourMs]);
    drafts.push(
      changeAtProcessor(random.pick(begins), later(minuteMs)),
      changeAtProcessor(close, later(withinMs)),
    );
    // A case that goes on: each step at a moment of its own, as a network takes them.
    const steps = random.below(4);
    for (let step = 0; step < steps; step += 1) {
      pass(secondMs);
      drafts.push(changeAtProcessor(random.pick(goesOn), later(random.pick([minuteMs, hourMs]))));
      if (random.chance(0.3)) drafts.push({ does: 'notify', at: later(secondMs), disorder: 2 });
    }
  }
  if (random.chance(0.3)) {
    const as = intruderOf(random, swarm.mischief);
    drafts.push({ does: 'readRefunds', at: later(minuteMs), ...about, ...as, ...viaOf(random) });
  }
  if (random.chance(0.3)) drafts.push({ does: 'notify', at: later(minuteMs), disorder: 2 });
  if (random.chance(0.1)) {
    const basisPoints = random.pick([0, 100, 290]);
    drafts.push({ does: 'setFee', at: capturedAt, business: 'shop', basisPoints });
  }
  return drafts;
}

const begins = ['dispute', 'disputeUnheard', 'inquire', 'inquireUnheard'] as const;
const goesOn = [
  'reopenDispute',
  'reopenDispute',
  'withholdDispute',
  'winDispute',
  'loseDispute',
] as const;
const elsewhere = ['refund', 'refundPart', 'refundPart', 'refundUnheard'] as const;

function viaOf(random: Random): { readonly via?: 'http' } {
  return random.chance(0.2) ? { via: 'http' } : {};
}

/** One refund, and the same request again: from an impatient thumb, or much later. */
function refundOf(
  random: Random,
  { impatience, mischief }: Swarm,
  about: { readonly appointment: number; readonly payment: string },
  key: string,
  later: (ms: number) => number,
): Draft[] {
  const drawn = random.pick(['5.00', '5.00', '20.00', '45.00', 'rest']);
  const amount = drawn === 'rest' ? {} : { amount: drawn };
  const request = { does: 'refund', ...about, key, ...amount } as const;
  const taps = tapsOf(random, impatience, 3);
  const drafts: Draft[] = [{ ...request, at: later(2 * secondMs), ...taps, ...viaOf(random) }];
  if (random.chance(0.2)) drafts.push({ ...request, at: later(random.pick([secondMs, hourMs])) });
  if (random.chance(mischief)) {
    drafts.push({ ...request, at: later(secondMs), amount: '7.00' });
  }
  if (random.chance(mischief)) {
    const as = random.pick(['other', 'roleless', 'expired', 'anonymous', 'unsure'] as const);
    const via = as === 'other' || as === 'roleless' ? viaOf(random) : { via: 'http' as const };
    drafts.push({ ...request, at: later(minuteMs), as, ...via });
  }
  return drafts;
}
