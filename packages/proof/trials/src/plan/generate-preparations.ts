import { hourMs, minuteMs, secondMs } from '@chairside/core';
import type { Action, Does } from './action.ts';
import { createRandom, hash, type Random } from './random.ts';
import type { Draft, Swarm } from './swarm.ts';

/** The extra operations in percent, different for each seed. */
const shares = [0, 8, 16, 28] as const;

/** Drawn separately, so that the payments of a seed stay the same without them. */
export function preparationsOf(
  seed: number,
  swarm: Swarm,
  payments: readonly Action[],
): { readonly random: Random; readonly drafts: readonly Draft[] } {
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
  return { random, drafts: drafts.slice(0, count).sort((a, b) => a.at - b.at) };
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
  const taps = 'key' in keyed && random.chance(impatience) ? { taps: 2 + random.below(2) } : {};
  let at = near();
  const later = (ms: number) => {
    at += random.below(ms);
    return at;
  };

  const drafts: Draft[] = [{ ...prepare, at, ...taps }];
  if (random.chance(0.2 + impatience)) {
    const wait = random.pick([9 * secondMs, 3 * minuteMs]);
    drafts.push({ ...prepare, at: random.chance(0.2) ? Math.max(at, near()) : later(wait) });
  }
  if (random.chance(mischief)) {
    drafts.push({ ...prepare, at: later(9 * secondMs), save: !save });
  }
  if (random.chance(mischief)) {
    drafts.push({ ...prepare, at: later(9 * secondMs), as: 'roleless' });
  }
  if (random.chance(0.6)) {
    if (random.chance(0.1)) later(2 * hourMs);
    drafts.push({ does: 'enter', at: later(20 * secondMs), customer, setup, card: cardOf(random) });
  }
  if (random.chance(0.5)) {
    const as = random.chance(mischief) ? { as: random.pick(['other', 'roleless'] as const) } : {};
    drafts.push({ does: 'readSetup', at: later(20 * secondMs), customer, setup, ...as });
  }
  return drafts;
}

function cardOf(random: Random): string {
  return random.pick([
    'visa_credit',
    'apple_pay',
    'declined',
    'declined_then_approved',
    'canceled',
  ]);
}

/** A barber registers a phone, uses it, and gives it away; or another barber has it by then. */
function terminalOf(random: Random, { swarm, devices, near }: Preparations): Draft[] {
  const barber = random.below(2);
  const device = `device-${random.below(devices)}`;
  const own = { barber, device };
  const mischief = () =>
    random.chance(swarm.mischief) ? { as: random.pick(['other', 'roleless'] as const) } : {};
  let at = near();
  const later = () => {
    at += random.below(20 * secondMs);
    return at;
  };

  const use = (how: Does<'useTerminal'>['how']): Draft => {
    return { does: 'useTerminal', at: later(), ...own, how, ...mischief() };
  };

  const drafts: Draft[] = [{ does: 'register', at, ...own }];
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
