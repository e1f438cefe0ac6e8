import { hourMs, minuteMs, secondMs } from '@chairside/core';
import type { Action } from './action.ts';
import { createRandom, hash, type Random } from './random.ts';
import type { Draft, Swarm } from './swarm.ts';

const chargesMark = 0xc4a6;

/** In one world of five, shops charge saved methods. Drawn separately, so that the rest stays the same. */
export function chargesOf(
  seed: number,
  swarm: Swarm,
  actions: readonly Action[],
): { readonly random: Random; readonly drafts: readonly Draft[] } {
  const random = createRandom(hash(seed, chargesMark));
  if (seed % 5 !== 3) return { random, drafts: [] };
  const visits = Math.ceil(swarm.appointments / 2);
  const lastAt = actions.at(-1)?.at ?? 0;
  const drafts = Array.from({ length: visits }, (_, number) =>
    storyOf(random, swarm, number, random.below(Math.max(1, lastAt))),
  ).flat();
  return { random, drafts: drafts.sort((a, b) => a.at - b.at) };
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
  let at = begun;
  const later = (ms: number) => {
    at += random.below(ms);
    return at;
  };
  const save = random.chance(0.7);
  const drafts: Draft[] = [
    { does: 'prepare', at, ...own, key: setup, save },
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
    const taps = random.chance(swarm.impatience) ? { taps: 2 } : {};
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
    drafts.push({ does: 'book', at: begun + random.below(Math.max(1, at - begun)), ...moved });
  }
  return drafts;
}
