import { hourMs, minuteMs, secondMs } from '@chairside/core';
import type { Action, Does } from './action.ts';
import { createRandom, hash, type Random } from './random.ts';
import type { Draft, Swarm } from './swarm.ts';

const tendersMark = 0xca54;

/** In three worlds of eleven, shops take cash beside cards. Drawn separately, so that the rest stays the same. */
export function tendersOf(
  seed: number,
  swarm: Swarm,
  actions: readonly Action[],
): { readonly random: Random; readonly drafts: readonly Draft[] } {
  const random = createRandom(hash(seed, tendersMark));
  if (seed % 11 < 8) return { random, drafts: [] };
  const share = random.pick([0.1, 0.3, 0.6]);
  const drafts = actions.flatMap((action) =>
    action.does === 'capture' && random.chance(share) ? storyOf(random, swarm, action) : [],
  );
  return { random, drafts: drafts.sort((a, b) => a.at - b.at) };
}

/** Desks take cash close to a capture, and some of it goes back. */
function storyOf(random: Random, swarm: Swarm, near: Does<'capture'>): Draft[] {
  const { appointment, payment } = near;
  const { impatience, mischief } = swarm;
  let at = Math.max(0, near.at - random.below(random.pick([1, secondMs, minuteMs])));
  const later = () => {
    at += random.below(random.pick([1, secondMs, 5 * secondMs, hourMs]));
    return at;
  };
  const taps = () => (random.chance(impatience) ? { taps: 2 } : {});
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
        ...(random.chance(mischief) && { as: random.pick(['other', 'roleless'] as const) }),
        at: later(),
        ...taps(),
      });
    }
    if (random.chance(0.2))
      drafts.push({ does: 'voidTender', appointment, payment: key, at: later() });
  }
  return drafts;
}
