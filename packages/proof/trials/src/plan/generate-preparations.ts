import { hourMs, minuteMs, secondMs } from '@chairside/core';
import type { Action, Does, Draft } from './plan.ts';
import { createRandom, hash, type Random, timeFrom } from './random.ts';
import { byTime, type Drawn, intruderOf, type Swarm, tapsOf } from './swarm.ts';

/** The extra operations in percent, different for each seed. */
const shares = [0, 8, 16, 28] as const;

/** Drawn separately, so that the payments of a seed stay the same without them. */
export function preparationsOf(seed: number, swarm: Swarm, payments: readonly Action[]): Drawn {
  const random = createRandom(hash(seed, preparationsMark));
  const count = Math.ceil((payments.length * random.pick(shares)) / 100);
  const world: Preparations = {
    swarm,
    customers: 1 + random.below(4),
    devices: 1 + random.below(3),
    prepared: [],
    // They are as crowded as the payments.
    near: () => payments[random.below(payments.length)]?.at ?? 0,
  };
  const drafts: Draft[] = [];
  while (drafts.length < count) {
    drafts.push(...(random.chance(0.5) ? setupOf(random, world) : terminalOf(random, world)));
  }
  return { random, drafts: drafts.slice(0, count).sort(byTime) };
}

const preparationsMark = 0x5e7;

interface Preparations {
  readonly swarm: Swarm;
  readonly customers: number;
  readonly devices: number;
  /** The setups begun so far. */
  readonly prepared: string[];
  readonly near: () => number;
}

/** A customer's app collects a payment method, and repeats requests without a response. */
function setupOf(random: Random, preparations: Preparations): Draft[] {
  const { swarm, customers, prepared, near } = preparations;
  const { impatience, mischief } = swarm;
  const customer = random.below(customers);
  const setup = `setup-${prepared.length}`;
  prepared.push(setup);
  // The first customers are barbers too: one subject has one set of keys.
  const key = random.chance(mischief / 2) ? `create-${random.below(3)}` : setup;
  const keyed = random.chance(0.75) ? { key } : {};
  const save = random.chance(0.5);
  const prepare = { does: 'prepare', customer, setup, save, ...keyed } as const;
  const taps = 'key' in keyed ? tapsOf(random, impatience, 3) : {};
  const { now, later } = timeFrom(random, near());
  const drafts: Draft[] = [{ ...prepare, at: now(), ...taps }];
  if (random.chance(0.2 + impatience)) {
    const wait = random.pick([9 * secondMs, 3 * minuteMs]);
    drafts.push({ ...prepare, at: random.chance(0.2) ? Math.max(now(), near()) : later(wait) });
  }
  if (random.chance(mischief)) {
    drafts.push({ ...prepare, at: later(9 * secondMs), save: !save });
  }
  if (random.chance(mischief)) {
    drafts.push({ ...prepare, at: later(9 * secondMs), as: 'roleless' });
  }
  if (random.chance(0.6)) {
    if (random.chance(0.1)) later(2 * hourMs);
    const at = later(20 * secondMs);
    const card = random.pick(enteredCards);
    drafts.push({ does: 'enter', at, customer, setup, card });
  }
  if (random.chance(0.5)) {
    const as = intruderOf(random, mischief);
    drafts.push({ does: 'readSetup', at: later(20 * secondMs), customer, setup, ...as });
  }
  return drafts;
}

const enteredCards = [
  'visa_credit',
  'apple_pay',
  'declined',
  'declined_then_approved',
  'canceled',
] as const;

/** A barber registers a phone, uses it, and gives it away; or another barber has it by then. */
function terminalOf(random: Random, { swarm, devices, near }: Preparations): Draft[] {
  const barber = random.below(2);
  const device = `device-${random.below(devices)}`;
  const own = { barber, device };
  const mischief = () => intruderOf(random, swarm.mischief);
  const time = timeFrom(random, near());
  const later = () => time.later(20 * secondMs);
  const use = (how: Does<'useTerminal'>['how']): Draft => {
    return { does: 'useTerminal', at: later(), ...own, how, ...mischief() };
  };

  const drafts: Draft[] = [{ does: 'register', at: time.now(), ...own }];
  if (random.chance(0.3)) {
    drafts.push({ does: 'register', at: later(), device, barber: random.below(2) });
  }
  if (random.chance(0.5)) drafts.push(use('token'));
  if (random.chance(0.3)) drafts.push({ does: 'listTerminals', at: later(), barber });
  if (random.chance(0.5)) drafts.push(use('unregister'));
  if (random.chance(0.3)) drafts.push(use('getTerminal'));
  if (random.chance(0.3)) drafts.push({ does: 'release', at: later(), device, ...mischief() });
  return drafts;
}

const chargesMark = 0xc4a6;

/** In one world of five, shops charge saved methods. Drawn separately, so that the rest stays the same. */
export function chargesOf(seed: number, swarm: Swarm, actions: readonly Action[]): Drawn {
  const random = createRandom(hash(seed, chargesMark));
  if (seed % 5 !== 3) return { random, drafts: [] };
  const visits = Math.ceil(swarm.appointments / 2);
  const lastAt = actions.at(-1)?.at ?? 0;
  const drafts = Array.from({ length: visits }, (_, number) =>
    storyOf(random, swarm, number, random.below(Math.max(1, lastAt))),
  ).flat();
  return { random, drafts: drafts.sort(byTime) };
}

const cards = [
  'visa_credit',
  'visa_credit',
  'visa_credit',
  'slow_to_approve',
  'needs_customer',
  'declined_when_saved',
  'vanishes',
] as const;

/** A customer books with a card, and the shop charges it: before the visit, after a missed one, or both. */
function storyOf(random: Random, swarm: Swarm, number: number, begun: number): Draft[] {
  const appointment = random.below(swarm.appointments);
  const customer = 2 + random.below(2);
  const setup = `kept-${number}`;
  const own = { customer, setup } as const;
  const { now, later } = timeFrom(random, begun);
  const save = random.chance(0.7);
  const drafts: Draft[] = [
    { does: 'prepare', at: begun, ...own, key: setup, save },
    { does: 'enter', at: later(20 * secondMs), ...own, card: random.pick(cards) },
    { does: 'book', at: later(5 * secondMs), appointment, ...own },
  ];
  const desks = 1 + random.below(3);
  const deposit = { purpose: 'deposit', amount: random.pick(['5.00', '20.00', '45.00']) } as const;
  const fee = { purpose: 'noShow', amount: random.pick(['7.00', '15.00', '16.00']) } as const;
  if (random.chance(0.4)) {
    drafts.push({ does: 'miss', at: later(minuteMs), appointment, fee: '15.00' });
  }
  for (let desk = 0; desk < desks; desk += 1) {
    const key = `charge-${number}-${desk}`;
    const taps = tapsOf(random, swarm.impatience);
    const as = random.chance(swarm.mischief / 2) ? { as: 'other' as const } : {};
    const what = random.chance(0.6) ? deposit : fee;
    const charge = { does: 'charge', appointment, ...own, key, ...what } as const;
    drafts.push({ ...charge, at: later(2 * secondMs), ...taps, ...as });
    if (random.chance(0.3)) drafts.push({ ...charge, at: later(random.pick([secondMs, hourMs])) });
    if (random.chance(0.3)) {
      const amount = random.pick(['3.00', '20.00']);
      const of = { appointment, payment: key, key: `back-${number}-${desk}` };
      drafts.push({ does: 'refund', at: later(minuteMs), ...of, amount });
    }
  }
  if (random.chance(0.3)) drafts.push({ does: 'withdraw', at: later(5 * secondMs), ...own });
  if (random.chance(0.2)) {
    drafts.push({ does: 'setDue', at: later(10 * secondMs), appointment, due: '12.00' });
  }
  // The host gives the appointment to somebody else, at any moment of the story.
  if (random.chance(0.3)) {
    const moved = { appointment, customer: 5 - customer, setup: 'none' };
    drafts.push({ does: 'book', at: begun + random.below(Math.max(1, now() - begun)), ...moved });
  }
  return drafts;
}
