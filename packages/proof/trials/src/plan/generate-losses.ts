import { formatMoney, hourMs, minuteMs, secondMs } from '@chairside/core';
import type { Action, Does, Draft } from './plan.ts';
import { createRandom, hash, type Random, timeFrom } from './random.ts';
import { byTime, type Drawn, isCreate, type Swarm, tapsOf } from './swarm.ts';

const lossesMark = 0x1055;

/**
 * In one world of seven, an appointment is charged with two cards at once, shops give an excess back, and in
 * half of these the processor closes the shop's account. Drawn separately, so that the rest of a seed stays the same.
 */
export function lossesOf(seed: number, swarm: Swarm, actions: readonly Action[]): Drawn {
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
