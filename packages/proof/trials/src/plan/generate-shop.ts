import { hourMs, minuteMs, secondMs } from '@chairside/core';
import type { Action, Does, Draft, Plan } from './plan.ts';
import { createRandom, hash, type Random, timeFrom } from './random.ts';
import { byTime, type Drawn, intruderOf, isCreate, type Swarm, tapsOf } from './swarm.ts';

const bookingsMark = 0xb00c;

/**
 * In one world of nine: what booking software does. An appointment's id is used again, customers become one, the
 * business gets another account and currency, an excess is given back meanwhile, and a process of another
 * installation starts. Drawn separately, so that the rest of a seed stays the same.
 */
export function bookingsOf(seed: number, _: Swarm, actions: readonly Action[]): Drawn {
  const random = createRandom(hash(seed, bookingsMark));
  if (seed % 9 !== 8) return { random, drafts: [] };
  const created = actions.filter(isCreate);
  const drafts = Array.from({ length: 2 + random.below(8) }, (_, number) => {
    const near = created[random.below(Math.max(1, created.length))];
    return near === undefined ? [] : bookingOf(random, number, near);
  });
  return { random, drafts: drafts.flat().sort(byTime) };
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

const tipsMark = 0x71b5;

/** Zero, usual ones, and one above the bound of most amounts. */
const drawnTips = ['0.00', '1.00', '2.50', '5.00', '60.00'] as const;

/**
 * In some worlds customers give tips, and refunds name a part of them. Drawn separately, so that the rest
 * of a seed stays the same.
 */
export function withTips(plan: Plan): Plan {
  const random = createRandom(hash(plan.seed, tipsMark));
  const share = random.pick([0, 0, 0.3, 1]);
  if (share === 0) return plan;
  const chosen = new Map<string, string | undefined>();
  return { ...plan, actions: plan.actions.map((action) => tipped(random, share, chosen, action)) };
}

/** The same request has the same tip each time, except by mistake. */
function tipped(
  random: Random,
  share: number,
  chosen: Map<string, string | undefined>,
  action: Action,
): Action {
  if (action.does !== 'create' && (action.does !== 'refund' || action.amount === undefined)) {
    return action;
  }
  const request = action.does === 'create' ? 'create' : `refund ${action.payment}`;
  const name = `${request} ${action.appointment} ${action.key}`;
  const drawn = random.chance(action.does === 'create' ? share : share / 2)
    ? random.pick(drawnTips)
    : undefined;
  const isMistaken = random.chance(0.02);
  const tip = chosen.has(name) && !isMistaken ? chosen.get(name) : drawn;
  if (!chosen.has(name)) chosen.set(name, drawn);
  return tip === undefined ? action : { ...action, tip };
}

const tendersMark = 0xca54;

/** In three worlds of eleven, shops take cash beside cards. Drawn separately, so that the rest stays the same. */
export function tendersOf(seed: number, swarm: Swarm, actions: readonly Action[]): Drawn {
  const random = createRandom(hash(seed, tendersMark));
  if (seed % 11 < 8) return { random, drafts: [] };
  const share = random.pick([0.1, 0.3, 0.6]);
  const drafts = actions.flatMap((action) =>
    action.does === 'capture' && random.chance(share) ? storyOf(random, swarm, action) : [],
  );
  return { random, drafts: drafts.sort(byTime) };
}

/** Desks take cash close to a capture, and some of it goes back. */
function storyOf(random: Random, swarm: Swarm, near: Does<'capture'>): Draft[] {
  const { appointment, payment } = near;
  const { impatience, mischief } = swarm;
  const begun = Math.max(0, near.at - random.below(random.pick([1, secondMs, minuteMs])));
  const time = timeFrom(random, begun);
  const later = () => time.later(random.pick([1, secondMs, 5 * secondMs, hourMs]));
  const taps = () => tapsOf(random, impatience);
  const drafts: Draft[] = [];
  const desks = 1 + random.below(3);
  for (let desk = 0; desk < desks; desk += 1) {
    const key = `cash-${near.id}-${desk}`;
    const amount = random.pick(['5.00', '5.00', '20.00', '45.00', '100.00']);
    const tender = { does: 'tender', appointment, key, amount } as const;
    drafts.push({ ...tender, at: later(), ...taps() });
    if (random.chance(0.2)) drafts.push({ ...tender, at: later() });
    if (random.chance(mischief)) {
      drafts.push({ ...tender, at: later(), amount: '7.00' });
      drafts.push({ ...tender, at: later(), as: random.pick(['other', 'roleless'] as const) });
    }
    const isOfCard = random.chance(0.2);
    const backs = random.below(3);
    for (let back = 0; back < backs; back += 1) {
      const drawn = random.pick(['5.00', '20.00', 'rest', 'rest']);
      drafts.push({
        does: 'giveBack',
        appointment,
        payment: isOfCard ? payment : key,
        key: `${key}-back-${back}`,
        ...(drawn !== 'rest' && { amount: drawn }),
        ...intruderOf(random, mischief),
        at: later(),
        ...taps(),
      });
    }
    if (random.chance(0.2))
      drafts.push({ does: 'voidTender', appointment, payment: key, at: later() });
  }
  return drafts;
}
