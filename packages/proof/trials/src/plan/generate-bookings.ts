import { hourMs, minuteMs } from '@chairside/core';
import type { Action, Does } from './action.ts';
import { createRandom, hash, type Random } from './random.ts';
import type { Draft } from './swarm.ts';

const bookingsMark = 0xb00c;

/**
 * In one world of nine: what booking software does. An appointment's id is used again, customers become one, the
 * business gets another account and currency, an excess is given back meanwhile, and a process of another
 * installation starts. Drawn separately, so that the rest of a seed stays the same.
 */
export function bookingsOf(
  seed: number,
  actions: readonly Action[],
): { readonly random: Random; readonly drafts: readonly Draft[] } {
  const random = createRandom(hash(seed, bookingsMark));
  if (seed % 9 !== 8) return { random, drafts: [] };
  const created = actions.filter((action): action is Does<'create'> => action.does === 'create');
  const drafts = Array.from({ length: 2 + random.below(8) }, (_, number) => {
    const near = created[random.below(Math.max(1, created.length))];
    return near === undefined ? [] : bookingOf(random, number, near);
  });
  return { random, drafts: drafts.flat().sort((a, b) => a.at - b.at) };
}

function bookingOf(random: Random, number: number, near: Does<'create'>): Draft[] {
  const { appointment } = near;
  const customer = random.below(5);
  const later = (ms: number) => near.at + random.below(ms);
  const create = (at: number): Draft => {
    return { does: 'create', at, appointment, key: `booked-${number}`, amount: '5.00' };
  };
  return random.pick([
    (): Draft[] => {
      const at = later(hourMs);
      const weeks = 1 + random.below(2);
      return [
        { does: 'rebook', at: near.at, appointment, customer, weeks: 0 },
        { does: 'rebook', at, appointment, customer: (customer + 1) % 5, weeks },
        { does: 'raise', at, appointment },
        create(at + random.below(minuteMs)),
      ];
    },
    (): Draft[] => {
      const into = random.below(5);
      return [{ does: 'merge', at: later(hourMs), from: customer, into }];
    },
    (): Draft[] => {
      const at = later(hourMs);
      const [account, currency] = random.pick([
        ['acct_new', 'eur'],
        ['acct_annex', 'usd'],
      ] as const);
      const excess = { does: 'excess', appointment, key: `moved-${number}` } as const;
      return [
        { does: 'setAccount', at, business: 'shop', account, currency },
        { does: 'setDue', at, appointment, due: '5.00' },
        { ...excess, at: at + random.below(minuteMs) },
        create(at + random.below(minuteMs)),
      ];
    },
    (): Draft[] => [{ does: 'intrude', at: later(minuteMs), appointment }],
  ])();
}
